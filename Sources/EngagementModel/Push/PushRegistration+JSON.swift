extension PushRegistration {
  /// The registration as JSON for output. It never contains the token, so it cannot be read back.
  public var json: JSON {
    ObjectEncoder([
      "token": String(describing: token), "service": service, "environment": environment,
    ]).json
  }
}
