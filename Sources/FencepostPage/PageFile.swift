import CPageFiles

/// A file of the map page, embedded in the program.
///
/// The sources are in `Web/`. `CPageFiles` embeds them, and the Leaflet of the system, at build time.
public struct PageFile: Hashable, Sendable {
    /// The path of the file below `Web/`, such as `shell/main.js`.
    public let path: String
    /// The content of the file.
    public let bytes: [UInt8]

    /// Whether the file is one of a library of the system, not of `Web/`.
    var isOfLibrary: Bool { path.hasPrefix("leaflet/") || path.hasPrefix("qrcode/") }

    /// The media type, from the extension of the name.
    public var contentType: String {
        switch path.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "json": "application/json"
        case "bin": "application/vnd.fencepost.basemap"
        case "svg": "image/svg+xml"
        case "txt": "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }

    /// The content decoded as UTF-8.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// All files.
    public static let all: [PageFile] = {
        var files: [PageFile] = []
        while let file = fencepost_page_file_at(files.count)?.pointee {
            // The bytes are static constants of the length in the list.
            let bytes = UnsafeBufferPointer(start: file.bytes, count: file.count)
            files.append(PageFile(path: String(cString: file.path), bytes: Array(bytes)))
        }
        return files
    }()

    /// Returns the file at a path such as `drawing/lanes.css`, or `nil` if there is none.
    public static func named(_ path: String) -> PageFile? { all.first { $0.path == path } }
}
