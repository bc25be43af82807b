import EngagementModel
import EngagementTesting

/// The adapters that the laws are tried on: the one in memory and those of four vendors.
enum Subjects {
  static func all() throws -> [AdapterSubject] {
    let own = [AdapterSubject.memory, try braze(), try vibes(), try cleverTap(), try atomic()]
    // A push of one vendor is a foreign one to all others.
    return own.map { subject in
      var subject = subject
      subject.foreignPushes = own.filter { $0.name != subject.name }.flatMap(\.pushes).map(\.push)
      return subject
    }
  }
}
