import Foundation

/// Keys and certificates that `openssl` creates for one test; Python is the servers' end of TLS.
final class TestCertificates: Sendable {
    static let isAvailable = ["openssl", "python3"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }

    let folder: URL
    var authority: String { folder.appending(path: "ca.pem").path }

    /// An authority, a certificate for `hook.test`, and an expired certificate.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
            "ca.key", "-out", "ca.pem", "-subj", "/CN=Test authority", "-days", "2")
        try sign("hook", days: "2")
        try sign("stale", days: "-1")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func sign(_ name: String, days: String) throws {
        try openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "\(name).key",
            "-out", "\(name).csr", "-subj", "/CN=hook.test")
        try Data("subjectAltName=DNS:hook.test".utf8).write(to: folder.appending(path: "\(name).ext"))
        try openssl(
            "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
            days, "-extfile", "\(name).ext", "-out", "\(name).pem")
    }

    /// A server's end of TLS with the certificate `hook`, `stale` or `ca`, of at most that version.
    func server(_ name: String, maximum: String = "TLSv1_3") -> TestTLS {
        TestTLS(
            certificate: folder.appending(path: "\(name).pem").path, key: folder.appending(path: "\(name).key").path,
            maximum: maximum)
    }

    private func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
