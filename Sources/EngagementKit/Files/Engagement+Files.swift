import EngagementModel

extension Engagement {
  /// The path of an image of a card or a message: fetched once, kept beside the cache, and there without
  /// a network for two weeks after its last use. Use the file at once; a changed address is another
  /// image.
  ///
  /// Images are PNG, JPEG, GIF or WebP of at most 10 MB, over https; http is for the loopback alone. The
  /// request carries no credential. Each user's images go with `eraseData(of:)`.
  ///
  /// Throws `permissionDenied` for a host that `Options.imageHosts` does not name, `malformedResponse`
  /// for what is no such image, and the errors of the network.
  public func imageFile(at url: String) async throws(EngagementError) -> String {
    try lifecycle.checkOpen()
    return try await presentations.files.image(
      at: url, for: dependencies.currentUser.userSession.partition)
  }
}
