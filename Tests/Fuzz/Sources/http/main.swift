import EngagementHTTP
import FoundationEssentials
import FuzzDriver

let samples = [
  "https://user@example.com:443/a/../b?c=d#e", "wss://[2001:db8::1]:8443/socket", "//host/x",
  "*.a.example",
  "http://127.0.0.1:8400/", "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "120",
  "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: a, Upgrade\r\n\r\nrest",
]

FuzzDriver.run(seeds: samples.map { Array($0.utf8) }) { bytes in
  let text = String(decoding: bytes, as: UTF8.self)
  checkURL(text)
  checkRedirect(to: text)
  checkHeader(text)
  checkHead(bytes)
  let delay = RetryAfter.delay(text, now: Date(timeIntervalSince1970: 784_111_777))
  precondition(delay.map(RetryAfter.range.contains) != false, "a wait out of range")
  let pin = try? Pin(text)
  precondition(pin.map { $0.sha256.count == 32 } != false, "a pin of another length")
}
