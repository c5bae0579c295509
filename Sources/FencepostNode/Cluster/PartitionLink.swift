package import FencepostCluster
package import FencepostModel
import FencepostNATS
import FencepostService

/// What one part of a cluster has in NATS: its log and its lease.
package struct PartitionLink: Sendable {
    package let part: ClusterPartition
    let connection: NATSConnection
    let stream: NATSStream
    /// One for each part, since it keeps the consumer that reads on.
    let log: ReplicatedLog<NATSLog>
    /// Where the leases and requests to lead of all parts are.
    let state: NATSKeyValue
    /// The keys of the lease, and of the node that a person wants to lead.
    let keys: (lease: String, request: String)

    /// The names of a part. Nothing is created in NATS.
    ///
    /// `secret`: that of the nodes; `nil` where no record is read or written.
    init(
        _ part: ClusterPartition, _ settings: ClusterSettings, _ connection: NATSConnection, _ state: NATSKeyValue,
        _ secret: ClusterSecret?
    ) {
        (self.part, self.connection, self.state) = (part, connection, state)
        stream = Self.stream(of: part, settings)
        log = ReplicatedLog(
            NATSLog(connection, stream: stream.name, subject: stream.subject),
            seal: RecordSeal(key: secret?.key(for: "log \(part)") ?? []))
        keys = settings.partitions == 1 ? ("lease", "wish") : ("lease.\(part)", "wish.\(part)")
    }

    /// The stream of a part's log. All of them together have the largest size of the settings, which the servers reserve.
    static func stream(of part: ClusterPartition, _ settings: ClusterSettings) -> NATSStream {
        let isSingle = settings.partitions == 1
        let name =
            switch part {
            case .configuration: "_cfg"
            case .partition(let number): isSingle ? "_log" : "_log_\(number)"
            }
        let subject =
            switch part {
            case .configuration: ".cfg"
            case .partition(let number): ".log.\(number)"
            }
        return NATSStream(
            name: settings.name + name, subject: settings.name + subject, replicas: settings.replicas,
            maximumBytes: Int64(max(settings.logLimit / settings.partitioning.parts.count, 16 << 20)))
    }

    /// The lease, as the lease's machine reads it.
    package func readLease() async -> LeaseMachine.Input {
        do throws(NATSError) {
            guard let stored = try await state.value(keys.lease) else { return .read(nil) }
            guard let lease = Lease.decode(stored.bytes) else { return .failed }
            return .read(LeaseMachine.Reading(lease: lease, revision: stored.revision))
        } catch {
            return .failed
        }
    }

    /// Writes the lease if it has a revision.
    func write(_ lease: Lease, replacing revision: UInt64?) async -> LeaseMachine.Input {
        do throws(NATSError) {
            return .written(revision: try await state.set(keys.lease, to: lease.encoded, replacing: revision))
        } catch {
            return .failed
        }
    }
}
