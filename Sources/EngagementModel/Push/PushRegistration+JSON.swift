extension PushRegistration {
  /// The registration for people to read. The token is never part of it, so there is no way
  /// back from here.
  public var json: JSON {
    ObjectEncoder([
      "token": String(describing: token), "service": service, "environment": environment,
    ]).json
  }
}
