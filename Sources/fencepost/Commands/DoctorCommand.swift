import ArgumentParser
import FencepostAppCommands
import FencepostJSON
import FencepostModel
import FencepostNode
import FencepostService
import FencepostStore
import Foundation

/// Checks the database.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks the integrity and the consistency of the database.",
        discussion: """
            Example:
              fencepost doctor --config fencepost.json

            Without --release it only reads, also while the service runs. With the configuration of a cluster's node it also checks the NATS \
            servers, the log and the nodes, as `fencepost cluster check` does. The exit code is 1 when it finds a problem.
            """)

    @OptionGroup var storage: StorageArguments

    @OptionGroup var service: ServiceArguments

    @Flag(name: .long, help: "Print one JSON object.")
    var json = false

    @Option(
        name: .long,
        help: "Release the device or the import with this id, which was set aside after its work had ended the process."
    )
    var release: String?

    func run() async throws {
        if let release { return try await self.release(release) }
        let path = try storage.existingPath()
        let cluster = try storage.configuration().cluster
        var checks = try StorageArguments.run { try Doctor.examine(path) }
        for part in cluster?.partitioning.parts.dropFirst() ?? [] {
            let file = PartitionFile.path(of: part, in: cluster?.partitioning ?? .single, path)
            // A copy that was never there is not damaged.
            guard FileManager.default.fileExists(atPath: file) else { continue }
            checks += try StorageArguments.run { try Doctor.examine(file) }.map { check in
                var check = check
                check.name = PartitionFile.name(of: part) + " " + check.name
                return check
            }
        }
        if let cluster, cluster.problem == nil {
            checks += await ClusterInspection.checks(cluster)
        }
        print(json ? Self.encode(checks, path) : Self.describe(checks))
        guard checks.allSatisfy(\.isPassed) else { throw ExitStatus.problems.exit }
    }

    /// Releases what is set aside, through the service where one runs. Else the next one does its work.
    private func release(_ id: String) async throws {
        func missing() -> ExitCode {
            Console.say("fencepost: no device and no import \(id) is set aside.")
            return ExitStatus.problems.exit
        }
        if let connection = try storage.connection(service) {
            let list = try await connection.request("GET", "/v1/set-aside", query: [("limit", "500")]).json()
            let items = list["data"]?.array.map(Array.init) ?? []
            let kinds = items.filter { $0["id"]?.string == id }.compactMap { $0["kind"]?.string }
            guard !kinds.isEmpty else { throw missing() }
            for kind in kinds { _ = try await connection.request("POST", "/v1/\(kind)s/\(id.percentEncoded)/release") }
        } else {
            _ = try storage.existingPath()
            let assembly = try ServiceAssembly.forCommand(try storage.configuration())
            let isFound = try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await assembly.worker.run() }
                await assembly.worker.waitUntilStarted()
                let isDevice = try await assembly.history.release(DeviceID(id))
                let isImport = try await assembly.history.releaseImport(id)
                // The worker writes its last states before it ends.
                group.cancelAll()
                return isDevice || isImport
            }
            try assembly.store.close()
            guard isFound else { throw missing() }
        }
        print("released \(id)")
    }

    static func describe(_ checks: [Doctor.Check]) -> String {
        var lines: [String] = []
        for check in checks {
            lines.append("\(check.isPassed ? "ok     " : "problem") \(check.name): \(check.claim)")
            lines += check.problems.map { "          \($0)" }
            if check.count > check.problems.count {
                lines.append("          and \(check.count - check.problems.count) more")
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func encode(_ checks: [Doctor.Check], _ path: String) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("database")
        writer.value(path)
        writer.name("passed")
        writer.value(checks.allSatisfy(\.isPassed))
        write(checks, to: &writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Writes the member `checks` of an object.
    static func write(_ checks: [Doctor.Check], to writer: inout JSONWriter) {
        writer.name("checks")
        writer.beginArray()
        for check in checks {
            writer.beginObject()
            writer.name("name")
            writer.value(check.name)
            writer.name("passed")
            writer.value(check.isPassed)
            writer.name("count")
            writer.value(check.count)
            writer.name("problems")
            writer.beginArray()
            for problem in check.problems { writer.value(problem) }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
    }
}
