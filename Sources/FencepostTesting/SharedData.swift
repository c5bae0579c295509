public import Foundation

/// Real regions, tracks and other libraries' test vectors that lie beside a checkout, where there are any.
///
/// They are not part of the project: a test that reads them is `.enabled(if: SharedData.isPresent, ...)`.
public enum SharedData {
    /// `../shared/data` from the root of the package.
    public static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../shared/data").standardizedFileURL

    public static let isPresent = FileManager.default.fileExists(atPath: folder.path)

    public static func file(_ path: String) -> URL { folder.appending(path: path) }
}
