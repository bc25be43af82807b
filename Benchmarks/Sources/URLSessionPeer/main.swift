import Foundation
import FoundationNetworking
import RequestBench

let bench = RequestBench()
let session = URLSession(configuration: .ephemeral)
guard let url = URL(string: bench.url) else { exit(64) }
try await bench.run {
  let (data, response) = try await session.data(from: url)
  return ((response as? HTTPURLResponse)?.statusCode ?? 0) + data.count
}
