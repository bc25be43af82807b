import EngagementModel
import EngagementTesting

/// The tested adapters: the in-memory one and those of four vendors.
enum Subjects {
  static func all() throws -> [AdapterSubject] {
    let own = [AdapterSubject.memory, try braze(), try vibes(), try cleverTap(), try atomic()]
    // A push of one vendor is foreign to all others.
    return own.map { subject in
      var subject = subject
      subject.foreignPushes = own.filter { $0.name != subject.name }.flatMap(\.pushes).map(\.push)
      return subject
    }
  }
}
