import EngagementCurl
import EngagementHTTP
import RequestBench

let bench = RequestBench()
let transport = CurlTransport()
let request = HTTPRequest(.get, bench.url)
try await bench.run {
  let response = try await transport.send(request)
  return response.status + response.body.count
}
