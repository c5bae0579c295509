import FencepostCluster
import FencepostFiles
import FencepostJSON
import FencepostModel
package import FencepostNATS
import FencepostOperation
import FencepostServer
package import FencepostService
package import FencepostStore
import Foundation

/// What `fencepost cluster check` finds.
package struct ClusterInspection {
    /// Reports are written every two seconds: a node that has not for so long does not run, or its clock is wrong.
    private static let freshness = Duration.seconds(15)

    /// The longest time in which a part that is handed over has no leader: what it takes to claim it, and two reports.
    private static let handover = NodeRegister.interval * 3

    private let view: ClusterView
    package private(set) var checks: [Doctor.Check] = []

    package init(_ view: ClusterView) {
        self.view = view
    }

    package var isPassed: Bool { checks.allSatisfy(\.isPassed) }

    /// Checks servers, log, nodes and clocks.
    package mutating func inspect() async throws(NATSError) {
        var servers = Doctor.Check("servers", "the NATS servers can hold the log")
        do throws(NATSError) {
            try await view.connection.checkServers()
        } catch .unfit(let reason) {
            servers.report(reason)
        }
        if view.connection.maximumPayload < 1 << 20 {
            servers.report(
                "The servers take messages of \(view.connection.maximumPayload) bytes; set max_payload to 1 MB.")
        }
        checks.append(servers)
        await inspectSync()
        let streams = view.parts.map(\.stream.name).joined(separator: ", ")
        var stream = Doctor.Check("log", "the right settings of \(streams)")
        for part in view.parts {
            do throws(NATSError) {
                try await part.stream.verify(on: view.connection)
            } catch .otherSettings(let reason) {
                stream.report(reason)
            }
        }
        let report = try await settledReport()
        let logs = report.parts.isEmpty ? [("log", report.log)] : report.parts.map { ("log of \($0.name)", $0.log) }
        for (name, log) in logs where log.bytes > log.limit / 6 * 5 {
            stream.report(
                "The \(name) has \(log.bytes) of \(log.limit) bytes: a node that is away keeps it from being trimmed.")
        }
        checks.append(stream)
        inspect(report)
        try await inspectHolders(report)
    }

    /// What the nodes report, once each part has a leader: one that is handed over has none until its new leader reports again.
    private func settledReport() async throws(NATSError) -> ClusterReport {
        let clock = ContinuousClock()
        let end = clock.now + Self.handover
        while true {
            let report = try await view.report()
            let isLed = report.parts.isEmpty ? report.leader != nil : report.parts.allSatisfy { $0.leader != nil }
            if isLed || clock.now > end { return report }
            try? await clock.sleep(for: .milliseconds(500))
        }
    }

    /// Whether each server syncs every write, as its monitoring says.
    private mutating func inspectSync() async {
        var check = Doctor.Check("sync", "every server syncs every write")
        if view.settings.monitors.isEmpty {
            check.report(
                "It cannot be seen: name the servers' monitoring in cluster.monitors, such as [\"http://127.0.0.1:8222\"]."
            )
        }
        for monitor in view.settings.monitors {
            switch await ClusterLink.storage(monitor) {
            case .synced?: break
            case .unsynced?: check.report("The server at \(monitor) does not: set sync_interval: always.")
            case .off?:
                check.report(
                    "The server at \(monitor) stores nothing: JetStream is off. Most likely its disk was full. "
                        + "Make room, and start it again.")
            case nil: check.report("The server at \(monitor) does not answer.")
            }
        }
        checks.append(check)
    }

    private mutating func inspect(_ report: ClusterReport) {
        var nodes = Doctor.Check("nodes", "one node leads, and the others follow it")
        if report.parts.isEmpty, report.leader == nil { nodes.report("No node leads.") }
        for part in report.parts where part.leader == nil { nodes.report("No node leads \(part.name).") }
        for node in report.nodes where node.role != "gone" {
            if let problem = node.problem { nodes.report("\(node.name): \(problem)") }
            if node.role != "leader" && node.role != "follower" {
                nodes.report("\(node.name) is \(node.role).")
            }
        }
        checks.append(nodes)
        let living = report.nodes.filter { $0.role != "gone" }
        var versions = Doctor.Check("versions", "all nodes have the same version")
        if Set(living.map(\.version)).count > 1 {
            for node in living { versions.report("\(node.name) has \(node.version).") }
        }
        checks.append(versions)
        var clocks = Doctor.Check("clocks", "the clocks of the nodes and of this machine agree")
        let now = WallClock.now
        for node in living where node.reportedAt > now + Self.freshness || node.reportedAt < now - Self.freshness {
            clocks.report(
                "\(node.name) reported at \(node.reportedAt.rfc3339), and it is \(now.rfc3339) here: it does not run, "
                    + "or a clock is wrong.")
        }
        checks.append(clocks)
    }

    // MARK: - Copies

    /// Whether the copies of partitions are where they are to be.
    private mutating func inspectHolders(_ report: ClusterReport) async throws(NATSError) {
        guard let copies = view.settings.copies else { return }
        let members = try await NodeList.read(NodeList.members, in: view.state).nodes
        var check = Doctor.Check("holders", "each partition has its \(copies) copies")
        if members.count < copies {
            check.report("The cluster has \(Prose.count(members.count, "member")): start more nodes.")
        }
        for name in report.away {
            check.report(
                "\(name) is away, and its copies are missing: start it, or let other nodes fetch them with "
                    + "`fencepost cluster remove \(name)`.")
        }
        let placement = CopyPlacement(members: members, copies: copies)
        for part in report.parts {
            let missing = (ClusterPartition(part.name).flatMap(placement.holders) ?? [])
                .filter { !part.copies.contains($0) && !report.away.contains($0) }
            if !missing.isEmpty { check.report("\(missing.joined(separator: ", ")): no copy of \(part.name) yet.") }
        }
        checks.append(check)
    }

    /// Fetches all copies, brings them to the same record, and compares their rows.
    package mutating func compareCopies() async throws {
        var check = Doctor.Check("copies", "the copies are equal row by row")
        defer { checks.append(check) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-check-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        var found = (copies: 0, rows: 0, position: UInt64(0))
        for part in view.parts {
            guard let equal = try await compare(part, in: folder, &check) else { continue }
            found = (found.copies + equal.copies, found.rows + equal.rows, found.position + equal.position)
        }
        if found.copies > 0 {
            check.claim += ": \(found.copies) of them, \(found.rows) rows, record \(found.position)"
        }
    }

    /// Compares the copies of a part.
    ///
    /// - Returns: how many there are, the rows of each, and the position of the newest; `nil` when no node gives one.
    private func compare(
        _ part: PartitionLink, in folder: URL, _ check: inout Doctor.Check
    ) async throws -> (copies: Int, rows: Int, position: UInt64)? {
        let label = view.parts.count == 1 ? "" : " \(part.part)"
        var copies: [(node: String, path: String, mark: ReplicaMark)] = []
        defer { for copy in copies { for suffix in ["", "-wal", "-shm", ".lock"] { unlink(copy.path + suffix) } } }
        for node in try await view.livingNodes()
        where [.follower, .leader].contains(node.part(part.part)?.role) {
            let path = folder.appending(path: "\(node.node)-\(part.part).sqlite").path
            do {
                copies.append((node.node + label, path, try await view.fetch(part.part, from: node, to: path)))
            } catch let error as CopyTransfer.Failure {
                check.report("\(node.node)\(label): \(error)")
            }
        }
        guard let newest = copies.map(\.mark).max(by: { $0.sequence < $1.sequence }) else {
            check.report("No node gives a copy\(label.isEmpty ? "" : " of\(label)").")
            return nil
        }
        var first: (node: String, content: CopyContent)?
        for copy in copies {
            do {
                try await apply(part, to: copy.path, through: newest)
            } catch let error as ReplicaError {
                check.report("\(copy.node): \(error)")
                continue
            } catch let failure as LogFailure {
                check.report("\(copy.node): the log could not be read: \(failure)")
                continue
            }
            let content = try CopyContent(of: copy.path)
            guard let (name, other) = first else {
                first = (copy.node, content)
                continue
            }
            let tables = content.differences(from: other)
            if !tables.isEmpty {
                check.report("\(copy.node) and \(name) differ in \(tables.joined(separator: ", ")).")
            }
        }
        return first.map { (copies.count, $0.content.rows, newest.position) }
    }

    private func apply(_ part: PartitionLink, to path: String, through mark: ReplicaMark) async throws {
        var settings = StorageSettings()
        settings.path = path
        let copy = try ReplicaStore(settings, cluster: mark.cluster)
        defer { try? copy.close() }
        while copy.mark.sequence < mark.sequence {
            let records = try await part.log.records(behind: copy.mark.sequence, limit: 200)
                .filter { $0.sequence <= mark.sequence }
            guard !records.isEmpty else { throw LogFailure.hole(after: copy.mark.sequence) }
            try copy.apply(records)
        }
    }

    /// The checks of a cluster, with one that fails when NATS does not answer.
    package static func checks(_ settings: ClusterSettings) async -> [Doctor.Check] {
        do {
            var inspection = ClusterInspection(try await ClusterView(settings, as: "doctor"))
            try await inspection.inspect()
            return inspection.checks
        } catch {
            var check = Doctor.Check("nats", "NATS answers, and has the cluster \(settings.name)")
            check.report("\(error)")
            return [check]
        }
    }
}
