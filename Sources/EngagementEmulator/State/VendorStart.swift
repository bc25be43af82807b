import EngagementPlatform
import EngagementVendors

/// How a vendor begins: from the seed, from the changes of a file, and with made-up items.
enum VendorStart {
  /// Makes the changes of the file again. The sockets of then are closed now.
  static func replay(
    _ file: StateFile?, of name: String, on server: inout any VendorServer, at now: Date
  ) {
    var open: Set<Int> = []
    for entry in file?.entries ?? [] where entry.vendor == name {
      // What was refused then is refused again.
      _ = try? entry.change.apply(to: &server, at: entry.time)
      _ = server.takeSocketOutput(at: entry.time)
      switch entry.change {
      case .openSocket(let socket, _): open.insert(socket)
      case .socketClosed(let socket): open.remove(socket)
      case .call, .put, .remove, .push, .configure, .expireCredentials, .hear: break
      }
    }
    for socket in open.sorted() {
      server.socketClosed(socket, at: now)
      file?.append(.socketClosed(socket), of: name, at: now)
    }
  }

  /// Adds made-up items until there are so many, or as many as the vendor takes. The file keeps them,
  /// so that their ids stay the same.
  static func fill(
    _ server: inout any VendorServer, of name: String, to count: Int, _ file: StateFile?,
    at now: Date
  ) {
    var number = server.items.count
    while number < count, let item = type(of: server).madeUpItem(number, at: now) {
      let change = VendorChange.put(item)
      guard (try? change.apply(to: &server, at: now)) != nil else { return }
      file?.append(change, of: name, at: now)
      number += 1
    }
  }

  static func server(
    _ name: String, among registrations: [VendorRegistration], seed: UInt64, at now: Date
  ) -> (any VendorServer)? {
    registrations.first { $0.name == name }?.server?.init(seed: seed, at: now)
  }
}
