import FencepostCluster
import FencepostJSON
import FencepostModel
import FencepostNATS
import FencepostServer
import FencepostService

extension ClusterReport {
    /// Reads what NATS has of a cluster, and creates nothing.
    static func read(_ settings: ClusterSettings) async throws(NATSError) -> ClusterReport {
        let connection = try await NATSConnection.connect(
            NATSSettings(
                servers: settings.servers, name: "fencepost cluster status",
                credentialsFile: settings.credentialsFile, certificateFile: settings.caFile))
        let stream = NATSStream(
            name: settings.name + "_log", subject: settings.name + ".log.0", replicas: settings.replicas)
        let log: NATSStream.Content
        do throws(NATSError) {
            log = try await stream.content(on: connection)
        } catch .notFound {
            throw .unavailable("NATS has no cluster \(settings.name). The first node that starts makes it.")
        }
        let state = try await NATSKeyValue.open(settings.name + "_cluster", on: connection, replicas: settings.replicas)
        let nodes = try await NATSKeyValue.open(
            settings.name + "_nodes", on: connection, replicas: settings.replicas, lifetime: .seconds(60))
        let lease = try await state.value(ClusterLink.leaseKey).flatMap { Lease.decode($0.bytes) }
        return ClusterReport(settings, lease, try await ClusterLink.reports(in: nodes), log)
    }

    /// Reads it over a node's own connection.
    static func read(_ settings: ClusterSettings, _ link: ClusterLink) async throws(NATSError) -> ClusterReport {
        let lease = try await link.state.value(ClusterLink.leaseKey).flatMap { Lease.decode($0.bytes) }
        let log = try await link.stream.content(on: link.connection)
        return ClusterReport(settings, lease, try await link.reports(), log)
    }

    private init(_ settings: ClusterSettings, _ lease: Lease?, _ reports: [NodeReport], _ log: NATSStream.Content) {
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
