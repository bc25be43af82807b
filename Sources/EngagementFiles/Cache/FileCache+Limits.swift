import EngagementModel

extension FileCache {
  /// What a cache of files accepts.
  package struct Limits: Sendable {
    /// The greatest size of one file, in bytes.
    package var fileBytes = 10 << 20
    /// The size of all files that `clean` keeps, in bytes. It may be exceeded between two calls.
    package var totalBytes = 100 << 20
    /// How many bytes a download leaves free on the disk.
    package var diskReserve = 32 << 20
    /// The types to accept, in lower case and without parameters.
    ///
    /// Of images, only types are accepted whose first bytes can be checked: PNG, JPEG, GIF and WebP
    /// by default, and `image/svg+xml` if it is listed. SVG is text that can contain scripts: show
    /// it where scripts do not run.
    package var contentTypes: Set<String> = ["image/png", "image/jpeg", "image/gif", "image/webp"]
    /// The time limit for the transfer of one file.
    package var transferTime: Duration = .seconds(25)
    /// The most transfers at one time.
    package var transfers = 10

    package init() {}

    /// Throws `invalidConfiguration` with the name of the wrong field.
    func validated() throws(EngagementError) -> Limits {
      for (name, isValid) in [
        ("fileBytes", fileBytes > 0), ("totalBytes", totalBytes >= fileBytes),
        ("contentTypes", !contentTypes.isEmpty && contentTypes.allSatisfy(ContentType.isChecked)),
        ("diskReserve", diskReserve >= 0),
        ("transferTime", transferTime > .zero), ("transfers", transfers > 0),
      ] where !isValid {
        throw EngagementError(
          .invalidConfiguration, "The limit \(name) of files is not usable: correct it.")
      }
      return self
    }
  }
}
