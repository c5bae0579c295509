import FencepostCluster
import FencepostGeometry
import FencepostJSON
package import FencepostModel
package import FencepostNATS
package import FencepostServer
import FencepostService

extension ClusterReport {
    /// Reads it over a node's own connection.
    static func read(_ settings: ClusterSettings, _ link: ClusterLink) async throws(NATSError) -> ClusterReport {
        try await read(settings, link.parts, in: link.state, try await link.reports())
    }

    /// Reads the leases and logs of all parts, and the members.
    static func read(
        _ settings: ClusterSettings, _ parts: [PartitionLink], in state: NATSKeyValue, _ reports: [NodeReport]
    ) async throws(NATSError) -> ClusterReport {
        var report = try await read(settings.name, parts, reports)
        if settings.copies != nil {
            let members = try await NodeList.read(NodeList.members, in: state).nodes
            report.away = members.subtracting(reports.map(\.node)).sorted()
        }
        return report
    }

    /// Reads the leases and logs of parts.
    package static func read(
        _ name: String, _ parts: [PartitionLink], _ reports: [NodeReport]
    ) async throws(NATSError) -> ClusterReport {
        var shown: [Part] = []
        for link in parts {
            let lease = try await link.state.value(link.keys.lease).flatMap { Lease.decode($0.bytes) }
            let log = try await link.stream.content(on: link.connection)
            let leader = reports.first { report in
                guard let lease, lease.isHeld else { return false }
                return report.node == lease.node && report.run == lease.run
                    && report.part(link.part)?.role == .leader
            }
            shown.append(
                Part(
                    name: "\(link.part)", leader: leader?.node,
                    position: reports.compactMap { $0.part(link.part)?.position }.max() ?? 0,
                    copies: reports.filter { $0.part(link.part)?.hasCopy ?? false }.map(\.node),
                    log: Log(
                        bytes: Int(log.bytes), limit: Int(link.stream.maximumBytes), first: Int(log.first),
                        last: Int(log.last))))
        }
        return ClusterReport(name, shown, reports)
    }

    /// A report of what was read.
    private init(_ name: String, _ parts: [Part], _ reports: [NodeReport]) {
        let isSingle = parts.count == 1
        let ends = Dictionary(parts.map { ($0.name, $0.position) }, uniquingKeysWith: { first, _ in first })
        self.init(
            name: name, leader: parts.first?.leader,
            nodes: reports.map { report in
                var node = Node(
                    name: report.node, role: report.role.rawValue, address: report.address, version: report.version,
                    position: report.parts.reduce(0) { $0 + $1.position }, problem: report.problem,
                    reportedAt: report.time)
                if !isSingle {
                    node.leads = report.parts.count { $0.role == .leader }
                    node.copies = report.parts.count(where: \.hasCopy)
                    node.end = report.parts.filter { $0.role != .noCopy }.reduce(0) { $0 + (ends["\($1.part)"] ?? 0) }
                }
                return node
            },
            log: Log(
                bytes: parts.reduce(0) { $0 + $1.log.bytes }, limit: parts.reduce(0) { $0 + $1.log.limit },
                first: parts.reduce(0) { $0 + $1.log.first }, last: parts.reduce(0) { $0 + $1.log.last }))
        if !isSingle { self.parts = parts }
    }

    /// A table for people.
    package func text(now: Timestamp) -> String {
        let leading = nodes.first { $0.name == leader }
        var lines = [
            "cluster \(name): " + (leading.map { "\($0.name) leads, at \($0.address)" } ?? "no node leads"),
            "log: \(log.bytes) of \(log.limit) bytes, records \(log.first) to \(log.last)",
        ]
        if !parts.isEmpty {
            let orphans = parts.filter { $0.leader == nil }.map(\.name)
            lines = [
                "cluster \(name): \(parts.count - 1) partitions; "
                    + (orphans.isEmpty ? "all have a leader" : "no node leads \(orphans.joined(separator: ", "))"),
                "logs: \(log.bytes) of \(log.limit) bytes",
            ]
            for part in parts {
                lines.append(
                    "  \(part.name)  position \(part.position)  " + (part.leader.map { "\($0) leads" } ?? "no leader")
                        + "  copies on \(part.copies.isEmpty ? "no node" : part.copies.joined(separator: ", "))")
            }
        }
        for node in nodes {
            let age = max(0, Int(clamped: (now - node.reportedAt).seconds.rounded()))
            lines.append(
                "\(node.name)  \(node.role)  position \(node.position) (\(behind(node)) behind)  "
                    + (node.copies.map { "copies of \(Prose.count($0, "part"))  " } ?? "")
                    + (node.leads.map { "leads \(Prose.count($0, "part"))  " } ?? "")
                    + "\(node.address)  version \(node.version)  reported \(age) s ago")
            if let problem = node.problem { lines.append("  \(problem)") }
        }
        for name in away {
            lines.append(
                "\(name)  away  Its copies are missing: start it, or let other nodes fetch them with "
                    + "`fencepost cluster remove \(name)`.")
        }
        return lines.joined(separator: "\n")
    }

    /// One JSON object.
    package var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
