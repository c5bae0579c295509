import Foundation
import Testing

@Suite("webhook listen") struct WebhookListenTests {
    private static let secret = "whsec_ZmVuY2Vwb3N0LXRlc3Qtc2VjcmV0LTI0Yg=="

    /// Runs a receiver while the closure runs.
    private func listen(
        _ arguments: [String], _ body: (_ url: String, _ lines: FileHandle) throws -> Void
    ) throws {
        let (output, errors) = (Pipe(), Pipe())
        let process = try Program.start(
            ["webhook", "listen", "--port", "0"] + arguments, input: FileHandle.nullDevice, output: output,
            errors: errors)
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        // It prints its address when it accepts connections.
        let said = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        let url = try #require(said.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+\//)?.output, "\(said)")
        try body(String(url), output.fileHandleForReading)
    }

    private func send(to url: String, secret: String) throws -> Program.Result {
        try Program.run(
            "webhook", "send", "--url", url, "--type", "region.entered", "--secret", secret, "--allow-http",
            "--allow-network", "127.0.0.0/8")
    }

    @Test("prints messages, verifies their signatures and responds with 200 or 401")
    func checks() throws {
        try listen(["--secret", Self.secret, "--bodies"]) { url, output in
            let first = try send(to: url, secret: Self.secret)
            #expect(first.status == 0)
            let lines = String(decoding: output.availableData, as: UTF8.self).split(separator: "\n")
            #expect(lines.count == 2)
            #expect(lines.first?.contains("region.entered example/phone example") == true)
            #expect(lines.first?.hasSuffix("signature valid  -> 200") == true)
            #expect(lines.last?.hasPrefix(#"{"type":"region.entered""#) == true)
            let other = "whsec_" + Data("another secret of 24 byt".utf8).base64EncodedString()
            let sent = try send(to: url, secret: other)
            #expect(sent.status == 1)
            let refused = String(decoding: output.availableData, as: UTF8.self)
            #expect(refused.contains("signature not valid: ") && refused.contains("-> 401"))
        }
    }

    @Test("responds with the given status") func status() throws {
        try listen(["--status", "503"]) { url, output in
            let sent = try send(to: url, secret: Self.secret)
            #expect(sent.status == 1 && sent.output.contains(": 503 after"))
            let line = String(decoding: output.availableData, as: UTF8.self)
            #expect(line.contains("signature not checked") && line.hasSuffix("-> 503\n"))
        }
    }
}
