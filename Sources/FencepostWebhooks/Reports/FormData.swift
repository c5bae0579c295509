import FencepostModel
import FencepostService

/// A body of the type `multipart/form-data` (RFC 7578).
struct FormData {
    private(set) var bytes: [UInt8] = []
    let boundary: String

    /// - Parameter file: the file that the form will have; the boundary follows from it, so that an attempt that is repeated
    ///   has the same body.
    init(for file: ReportFile) {
        var identity = Identity()
        identity.add(file.name)
        identity.add(Int64(file.bytes.count))
        for byte in file.bytes.suffix(64) { identity.add(Int64(byte)) }
        boundary = identity.text(prefix: "fencepost-")
    }

    var type: String { "multipart/form-data; boundary=\(boundary)" }

    mutating func add(_ name: String, _ text: String, type: String? = nil) {
        begin("name=\"\(name)\"", type: type)
        bytes += Array(text.utf8)
        bytes += Array("\r\n".utf8)
    }

    mutating func add(_ name: String, _ file: ReportFile) {
        begin("name=\"\(name)\"; filename=\"\(file.name)\"", type: file.type)
        bytes += file.bytes
        bytes += Array("\r\n".utf8)
    }

    mutating func end() { bytes += Array("--\(boundary)--\r\n".utf8) }

    private mutating func begin(_ disposition: String, type: String?) {
        let line = type.map { "Content-Type: \($0)\r\n" } ?? ""
        bytes += Array("--\(boundary)\r\nContent-Disposition: form-data; \(disposition)\r\n\(line)\r\n".utf8)
    }
}
