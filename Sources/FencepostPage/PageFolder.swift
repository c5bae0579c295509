import Foundation

/// A folder with the files of the map page, which are read at each request: to work on the page without a build.
///
/// It has the form of `Web/`: `index.html`, `share.html`, and folders with the other files. Libraries such as Leaflet are
/// those of the program.
public struct PageFolder: Sendable {
    /// Why a folder cannot be used, as a sentence.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    private let url: URL

    /// - Parameter path: the path of the folder.
    /// - Throws: a `Failure` when the folder has no `index.html` that can be read.
    public init(path: String) throws(Failure) {
        url = URL(filePath: path, directoryHint: .isDirectory)
        guard file("index.html") != nil else {
            throw Failure(
                description: "\(path) has no index.html that can be read. Name the folder of the page's sources, "
                    + "such as Sources/FencepostPage/Web.")
        }
    }

    /// Returns the file at a path such as `drawing/lanes.css`, or `nil` if the folder has none. Blocks.
    ///
    /// A path of a request never leads out of the folder: it is compared with the paths of the files that are in it.
    public func file(_ path: String) -> PageFile? {
        guard paths.contains(path), let bytes = try? Data(contentsOf: url.appending(path: path)) else {
            return PageFile.named(path).flatMap { $0.isOfLibrary ? $0 : nil }
        }
        return PageFile(path: path, bytes: Array(bytes))
    }

    /// The paths of all modules, with those of the libraries.
    public var modules: [String] {
        (paths + PageFile.all.filter(\.isOfLibrary).map(\.path)).filter { $0.hasSuffix(".js") }.sorted()
    }

    /// The paths of the folder's files, without hidden ones.
    private var paths: [String] {
        let all = (try? FileManager.default.subpathsOfDirectory(atPath: url.path)) ?? []
        return all.filter { path in !path.split(separator: "/").contains { $0.hasPrefix(".") } }
    }
}
