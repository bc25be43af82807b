import EngagementModel
import EngagementVendors

extension ConfigurationField {
  /// The file that the path leads to, open for reading.
  ///
  /// - Parameter folder: What relative paths start from.
  func file(in folder: String) throws(EngagementError) -> InputFile {
    let named = try string()
    let path = CommandContext.joined(folder, named)
    let file: InputFile
    do throws(EngagementError) { file = try InputFile(path) } catch {
      throw fault("names \"\(named)\", a file that cannot be read: \(error.underlying ?? "")")
    }
    guard file.isRegular else { throw fault("leads to something that is no file") }
    return file
  }
}
