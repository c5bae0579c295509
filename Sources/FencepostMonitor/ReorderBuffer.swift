import FencepostGeometry
public import FencepostModel

/// Puts one device's fixes into time order, and tells the late and the repeated from the rest.
public struct ReorderBuffer: Hashable, Sendable, Codable {
    /// What becomes of a fix on arrival.
    public enum Verdict: Hashable, Sendable {
        /// It will be handed on, now or when the window has passed.
        case accepted
        /// Older than what was handed on: kept by who keeps fixes, never evaluated.
        case late
        /// The same device, time and coordinates as one of the last `memory` fixes.
        case duplicate
    }

    /// How many fixes back a repeated one is recognised; 8 bytes each.
    public static let memory = 4096

    private let window: Duration
    private var held: [Location] = []
    private var newest: Timestamp?
    private var handedOn: Timestamp?
    private var recent = RecentFixes()

    public init(window: Duration) {
        self.window = window
    }

    /// Fixes that wait for the window to pass.
    public var heldCount: Int { held.count }

    /// When the first held fix is due by the clock.
    public var deadline: Timestamp? { held.first.map { $0.timestamp + window } }

    /// Takes a fix in the order of arrival; `ready` gets what can now be evaluated, in time order.
    public mutating func accept(_ location: Location, ready: (Location) -> Void) -> Verdict {
        guard recent.insert(location) else { return .duplicate }
        if let handedOn, location.timestamp < handedOn { return .late }
        if window == .zero {
            handedOn = location.timestamp
            newest = location.timestamp
            ready(location)
            return .accepted
        }
        held.insert(location, at: held.partitioningIndex { precedes(location, $0) })
        newest = max(newest ?? location.timestamp, location.timestamp)
        if let newest { release(through: newest - window, ready: ready) }
        return .accepted
    }

    /// Hands on what is due when the clock, or the end of the input, says that nothing older can come in time.
    public mutating func release(through moment: Timestamp, ready: (Location) -> Void) {
        let count = held.partitioningIndex { $0.timestamp > moment }
        guard count > 0 else { return }
        for location in held[..<count] {
            handedOn = location.timestamp
            ready(location)
        }
        held.removeFirst(count)
    }

    /// Hands on all that is held.
    public mutating func finish(ready: (Location) -> Void) {
        guard let last = held.last else { return }
        release(through: last.timestamp, ready: ready)
    }

    /// Time order; fixes of one time in an order that does not depend on their arrival.
    private func precedes(_ a: Location, _ b: Location) -> Bool {
        func key(_ location: Location) -> (Timestamp, Double, Double, Double, Double) {
            (
                location.timestamp, location.horizontalAccuracy ?? .infinity, location.coordinate.latitude,
                location.coordinate.longitude, location.speed ?? -1
            )
        }
        return key(a) < key(b)
    }
}

/// The hashes of the last fixes of a device, to recognise one that comes again.
struct RecentFixes: Hashable, Sendable, Codable {
    private var hashes: [UInt64] = []
    private var members: Set<UInt64> = []
    private var next = 0

    /// Whether the fix is new.
    mutating func insert(_ location: Location) -> Bool {
        var hash = RecentFixes.mix(UInt64(bitPattern: location.timestamp.milliseconds))
        hash = RecentFixes.mix(hash ^ location.coordinate.latitude.bitPattern)
        hash = RecentFixes.mix(hash ^ location.coordinate.longitude.bitPattern)
        guard members.insert(hash).inserted else { return false }
        if hashes.count < ReorderBuffer.memory {
            hashes.append(hash)
        } else {
            members.remove(hashes[next])
            hashes[next] = hash
            next = (next + 1) % ReorderBuffer.memory
        }
        return true
    }

    /// The finaliser of SplitMix64: every bit of the word bears on every bit of the hash.
    private static func mix(_ word: UInt64) -> UInt64 {
        var hash = word &+ 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }

    // The set follows from the list, so only the list is kept.
    enum CodingKeys: CodingKey { case hashes, next }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        hashes = try container.decode([UInt64].self, forKey: .hashes)
        next = try container.decode(Int.self, forKey: .next)
        members = Set(hashes)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(hashes, forKey: .hashes)
        try container.encode(next, forKey: .next)
    }
}

extension RandomAccessCollection where Index == Int {
    /// The first index whose element fulfils the predicate, in a collection that is partitioned by it.
    func partitioningIndex(where belongsBehind: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if belongsBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
