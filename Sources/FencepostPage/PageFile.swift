import CPageFiles

/// A file of the map page, as it is in the program.
///
/// The files themselves are in `Web/`; `CPageFiles` puts them, and Leaflet from the system, into the program.
public struct PageFile: Hashable, Sendable {
    /// Folder and name, such as `shell/main.js`; `index.html` has no folder.
    public let path: String
    public let bytes: [UInt8]

    /// The media type by the end of the name.
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

    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Every file.
    public static let all: [PageFile] = {
        var files: [PageFile] = []
        while let file = fencepost_page_file_at(files.count)?.pointee {
            // The bytes are constants of the program, as many as the list says.
            let bytes = UnsafeBufferPointer(start: file.bytes, count: file.count)
            files.append(PageFile(path: String(cString: file.path), bytes: Array(bytes)))
        }
        return files
    }()

    /// The file of a path, such as `drawing/scale.js`.
    public static func named(_ path: String) -> PageFile? { all.first { $0.path == path } }
}
