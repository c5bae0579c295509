import FencepostCluster
import FencepostModel
import FencepostNATS
import FencepostService
import FencepostStore
import Logging

/// The entry of a node among the reports in NATS, which no other process may write.
actor NodeRegister {
    /// Another process has this node's name.
    struct Duplicate: Error, CustomStringConvertible {
        let node: String

        var description: String {
            "Another process is the node \(node) of this cluster. Give each node its own cluster.node."
        }
    }

    /// Between reports.
    static let interval = Duration.seconds(2)
    /// Reports between looks at the size of the log.
    private static let trimRounds = 15

    private var revision: UInt64?

    private init(revision: UInt64?) {
        self.revision = revision
    }

    /// Takes a node's entry, when no other process has renewed it for several intervals.
    ///
    /// - Returns: `nil` when the process is to end.
    /// - Throws: `Duplicate`.
    static func enter(_ node: ClusterNode, _ link: ClusterLink) async throws -> NodeRegister? {
        let key = node.cluster.node
        var former: UInt64?
        var unchanged = 0
        while !node.events.isStopping {
            do {
                guard let (bytes, revision) = try await link.nodes.value(key) else {
                    return NodeRegister(revision: nil)
                }
                if NodeReport.decode(bytes)?.role == .gone { return NodeRegister(revision: revision) }
                if let former, former != revision { throw Duplicate(node: key) }
                former = revision
                unchanged += 1
                if unchanged > 10 { return NodeRegister(revision: revision) }
            } catch is NATSError {
                node.status.set(.starting, problem: "NATS does not answer.")
            }
            try await Task.sleep(for: .milliseconds(500))
        }
        return nil
    }

    /// Reports until the task is cancelled.
    ///
    /// - Throws: `Duplicate`, after asking the process to end.
    func run(_ node: ClusterNode, _ link: ClusterLink) async throws {
        var round = 0
        while !Task.isCancelled {
            do {
                try await report(node, link)
                if node.status.current.role == .leader { try await fulfilWish(node, link) }
            } catch let error as Duplicate {
                node.events.stop()
                throw error
            } catch {
                // The log and the lease notice that NATS is away; a report has time.
            }
            round += 1
            if round % Self.trimRounds == 0, node.status.current.role == .leader {
                do {
                    try await trim(node, link)
                } catch {
                    node.logger.warning("the log could not be trimmed", metadata: ["error": "\(error)"])
                }
            }
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Reports that the node has ended.
    func leave(_ node: ClusterNode, _ link: ClusterLink) async {
        try? await report(node, link)
    }

    private func report(_ node: ClusterNode, _ link: ClusterLink) async throws {
        let content = node.status.current
        let report = NodeReport(
            node: node.cluster.node, run: node.run, version: FencepostVersion.current, role: content.role,
            sequence: content.mark?.sequence ?? 0, position: content.mark?.position ?? 0, address: node.status.address,
            problem: content.problem, time: WallClock.now)
        do {
            revision = try await link.nodes.set(report.node, to: report.encoded, replacing: revision)
        } catch {
            // Its answer was lost, the entry has expired, or another process wrote it.
            let stored = try await link.nodes.value(report.node)
            if let stored, let other = NodeReport.decode(stored.bytes), other.run != node.run, other.role != .gone,
                stored.revision != revision
            {
                throw Duplicate(node: report.node)
            }
            revision = stored?.revision
        }
    }

    /// Lets the node lead that a person has named, if it follows.
    private func fulfilWish(_ node: ClusterNode, _ link: ClusterLink) async throws {
        guard let wish = try await LeaderWish.read(in: link.state), !wish.node.isEmpty else { return }
        let wished = try await link.reports().first { $0.node == wish.node }
        // A wish is for now: it is taken back whether it can be fulfilled or not.
        try await LeaderWish.clear(wish, in: link.state)
        if wish.node != node.cluster.node, wished?.role == .follower { node.handOver(to: wish.node) }
    }

    /// Removes old records when the log has half of its limit: down to a quarter, but nothing that a node has yet to read
    /// while there is room.
    private func trim(_ node: ClusterNode, _ link: ClusterLink) async throws {
        let content = try await link.stream.content(on: link.connection)
        let reports = try await link.reports()
        let needed = reports.filter { $0.role != .gone }.map(\.sequence).min()
        guard
            let first = LogTrim.firstToKeep(
                LogTrim.Content(bytes: content.bytes, first: content.first, last: content.last),
                limit: Int64(node.cluster.logLimit), needed: needed)
        else { return }
        try await link.stream.trim(before: first, on: link.connection)
        node.logger.info("the log was trimmed", metadata: ["before": "\(first)", "bytes": "\(content.bytes)"])
    }
}
