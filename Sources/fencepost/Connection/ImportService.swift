import ArgumentParser
import FencepostAppCommands
import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import Foundation

/// Imports of history files through a running service.
struct ImportService {
    private let connection: ServiceConnection
    private let device: String
    private let format: LocationFormat?
    private let isDry: Bool

    /// `device`: of records without one. `format`: `nil` to detect it. `isDry`: whether nothing is stored.
    init(_ connection: ServiceConnection, device: String, format: LocationFormat?, isDry: Bool) {
        (self.connection, self.device, self.format, self.isDry) = (connection, device, format, isDry)
    }

    /// Imports files one after the other and prints the report of each. A file that fails does not stop the others.
    ///
    /// - Throws: the exit code of the first failure, at the end.
    func run(_ files: [String]) async throws {
        Interrupt.install()
        var worst: ExitCode?
        for file in files {
            do {
                let report = try await importFile(file)
                var buffer = OutputBuffer()
                buffer.bytes += report
                if buffer.bytes.last != UInt8(ascii: "\n") { buffer.bytes.append(UInt8(ascii: "\n")) }
                try buffer.flush()
                if Self.isRejected(report) { worst = worst ?? ExitStatus.badData.exit }
            } catch let code as ExitCode {
                if code == ExitStatus.interrupted.exit { throw code }
                worst = worst ?? code
            }
        }
        if let worst { throw worst }
    }

    /// Whether every record of a report was rejected.
    private static func isRejected(_ report: [UInt8]) -> Bool {
        guard let root = try? JSONDocument(parsing: report).root else { return false }
        let read = ["stored", "duplicates", "ignored"].reduce(0) { $0 + (root[$1]?.int ?? 0) }
        let rejected = root["rejected"].map { $0.int ?? $0.array?.count ?? 0 } ?? 0
        return read == 0 && rejected > 0
    }

    /// - Returns: the report, as JSON.
    private func importFile(_ file: String) async throws -> [UInt8] {
        let bytes = Array(try InputFile.bytes(of: file))
        let response = try await connection.request(
            "POST", "/v1/imports",
            query: [
                ("file", file == "-" ? nil : file), ("format", format?.rawValue), ("deviceId", device),
                ("dryRun", isDry ? "true" : nil),
            ], body: bytes, about: file)
        guard response.status == 202, let id = try response.json()["id"]?.string else { return response.body }
        Console.say("\(file): the service imports it in the background as \(id). Ctrl-C ends only this command.")
        return try await finished(id)
    }

    /// Waits for an import.
    private func finished(_ id: String) async throws -> [UInt8] {
        let path = "/v1/imports/\(id.percentEncoded)"
        var lastState = ""
        while true {
            let response = try await connection.request("GET", path, about: id)
            let job = try response.json()
            let state = job["state"]?.string ?? ""
            if state == "done" || state == "cancelled" { return response.body }
            if state != lastState {
                Console.say(
                    "\(id): \(state), \(Int(clamped: (job["progress"]?.double ?? 0) * 100)) %"
                        + (state == "paused" ? ": the storage cannot write; it goes on when there is space" : ""))
                lastState = state
            }
            for _ in 0..<10 {
                if Interrupt.isRequested {
                    Console.say("\(id) continues in the service; GET \(path) shows it, DELETE cancels it.")
                    throw ExitStatus.interrupted.exit
                }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}
