/// How the devices of a cluster are divided: a device belongs to the same partition on every node, for ever.
public struct Partitioning: Hashable, Sendable {
    /// The largest number of partitions.
    public static let maximum = 256
    /// A single one, which has the configuration too.
    public static let single = Partitioning(count: 1)

    /// The number of partitions, 1 to 256.
    public let count: Int

    /// Divides devices among partitions.
    ///
    /// - Precondition: the number is 1 to 256.
    public init(count: Int) {
        precondition((1...Self.maximum).contains(count), "a cluster has 1 to 256 partitions")
        self.count = count
    }

    /// The partition of a device: the 64-bit FNV-1a hash of its id in UTF-8 (Fowler, Noll, Vo), modulo their number.
    public func partition(of device: DeviceID) -> Int {
        Int(FNV1a64(device.rawValue.utf8).hash % UInt64(count))
    }

    /// The part of the cluster that has a device.
    public func part(of device: DeviceID) -> ClusterPartition { .partition(partition(of: device)) }

    /// The part that has regions, apps, endpoints, tokens, users and whatever else people set.
    public var configuration: ClusterPartition { count == 1 ? .partition(0) : .configuration }

    /// The parts that have devices.
    public var devices: [ClusterPartition] { (0..<count).map { .partition($0) } }

    /// All parts; the configuration comes first.
    public var parts: [ClusterPartition] { count == 1 ? devices : [.configuration] + devices }
}

/// A partition of a cluster's devices, or its configuration: each has a database, a log and a leader of its own.
public enum ClusterPartition: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// What people set, in a cluster of several partitions.
    case configuration
    /// The devices of a partition, from 0; with the configuration where there is only one.
    case partition(Int)

    /// `config`, or the number of the partition.
    public var description: String {
        switch self {
        case .configuration: "config"
        case .partition(let number): String(number)
        }
    }

    /// The part with a description; `nil` for any other text.
    public init?(_ description: some StringProtocol) {
        if description == "config" {
            self = .configuration
        } else if let number = Int(description), (0..<Partitioning.maximum).contains(number),
            String(number) == description
        {
            self = .partition(number)
        } else {
            return nil
        }
    }
}
