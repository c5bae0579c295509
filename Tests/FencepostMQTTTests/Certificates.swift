import Foundation
import Testing

/// An authority of the test's own and a certificate for `localhost` that it has signed.
final class Certificates {
    static let program = ["/usr/bin/openssl", "/usr/local/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let extensions = folder.appending(path: "extensions")
        try Data("subjectAltName=DNS:localhost\n".utf8).write(to: extensions)
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try run(["req", "-x509", "-subj", "/CN=authority", "-days", "2", "-keyout", "ca.key", "-out", "ca.pem"] + key)
        try run(["req", "-subj", "/CN=localhost", "-keyout", "server.key", "-out", "server.csr"] + key)
        try run([
            "x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-extfile", extensions.path, "-out", "server.pem",
        ])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var authority: String { folder.appending(path: "ca.pem").path }

    /// Lines for a listener of mosquitto.
    var configuration: [String] {
        ["certfile", "keyfile"].map {
            "\($0) \(folder.appending(path: $0 == "certfile" ? "server.pem" : "server.key").path)"
        }
    }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: try #require(Self.program))
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(arguments)")
    }
}
