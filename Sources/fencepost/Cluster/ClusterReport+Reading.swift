import FencepostCluster
import FencepostJSON
import FencepostModel
import FencepostNATS
import FencepostServer
import FencepostService

extension ClusterReport {
    /// Reads it over a node's own connection.
    static func read(_ settings: ClusterSettings, _ link: ClusterLink) async throws(NATSError) -> ClusterReport {
        let lease = try await link.state.value(ClusterLink.leaseKey).flatMap { Lease.decode($0.bytes) }
        let log = try await link.stream.content(on: link.connection)
        return ClusterReport(settings, lease, try await link.reports(), log)
    }

    /// A report of what was read.
    init(_ settings: ClusterSettings, _ lease: Lease?, _ reports: [NodeReport], _ log: NATSStream.Content) {
        let leader = reports.first { report in
            guard let lease, lease.isHeld else { return false }
            return report.node == lease.node && report.run == lease.run && report.role == .leader
        }
        self.init(
            name: settings.name, leader: leader?.node,
            nodes: reports.map { report in
                Node(
                    name: report.node, role: report.role.rawValue, address: report.address, version: report.version,
                    position: report.position, problem: report.problem, reportedAt: report.time)
            },
            log: Log(bytes: Int(log.bytes), limit: settings.logLimit, first: Int(log.first), last: Int(log.last)))
    }

    /// A table for people.
    func text(now: Timestamp) -> String {
        let leading = nodes.first { $0.name == leader }
        var lines = [
            "cluster \(name): " + (leading.map { "\($0.name) leads, at \($0.address)" } ?? "no node leads"),
            "log: \(log.bytes) of \(log.limit) bytes, records \(log.first) to \(log.last)",
        ]
        for node in nodes {
            let age = max(0, Int((now - node.reportedAt).seconds.rounded()))
            lines.append(
                "\(node.name)  \(node.role)  position \(node.position) (\(end - node.position) behind)  "
                    + "\(node.address)  version \(node.version)  reported \(age) s ago")
            if let problem = node.problem { lines.append("  \(problem)") }
        }
        return lines.joined(separator: "\n")
    }

    /// One JSON object.
    var json: String {
        var writer = JSONWriter()
        write(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
