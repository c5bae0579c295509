public import Foundation

/// Real regions, tracks and other libraries' test vectors in a folder next to the checkout.
///
/// They are not part of the project. A test that reads them has the trait `.enabled(if: SharedData.isPresent, "…")`, so that
/// Swift Testing reports the reason when it skips the test.
public enum SharedData {
    /// `../shared/data` from the root of the package.
    public static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../shared/data").standardizedFileURL

    /// Whether the folder exists.
    public static let isPresent = FileManager.default.fileExists(atPath: folder.path)

    /// A file in the folder.
    public static func file(_ path: String) -> URL { folder.appending(path: path) }
}
