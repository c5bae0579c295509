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

    /// How many fixes back a repeated one is recognised where nobody else can; 16 bytes each.
    public static let memory = 4096

    private let window: Duration
    private var held: [Location] = []
    private var newest: Timestamp?
    private var handedOn: Timestamp?
    private var recent: RecentFixes

    /// - Parameter memory: how many fixes back a repeated one is recognised, at least 1.
    public init(window: Duration, memory: Int = ReorderBuffer.memory) {
        self.window = window
        recent = RecentFixes(capacity: memory)
    }

    /// Whether a fix of this time would be recognised if it was there before: whether `accept` knows all of its time.
    public func remembers(_ timestamp: Timestamp) -> Bool { timestamp > recent.forgotten }

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

/// The last fixes of a device, by hash, to recognise one that comes again.
struct RecentFixes: Hashable, Sendable, Codable {
    private let capacity: Int
    // Two rings beside each other: the hashes are searched, the times only say what was forgotten.
    private var hashes: [UInt64] = []
    private var times: [Timestamp] = []
    private var next = 0
    private var newest = Timestamp.distantPast
    /// Fixes after this time are all known.
    private(set) var forgotten: Timestamp

    init(capacity: Int, forgotten: Timestamp = .distantPast) {
        self.capacity = capacity
        self.forgotten = forgotten
        newest = forgotten
    }

    /// Whether the fix is new, as far as is known.
    mutating func insert(_ location: Location) -> Bool {
        let hash = RecentFixes.hash(location)
        // What is newer than all before it was not there; nearly every fix is.
        if location.timestamp <= newest {
            if hashes.contains(hash) { return false }
        } else {
            newest = location.timestamp
        }
        if hashes.count < capacity {
            hashes.append(hash)
            times.append(location.timestamp)
        } else {
            forgotten = max(forgotten, times[next])
            hashes[next] = hash
            times[next] = location.timestamp
            next = (next + 1) % capacity
        }
        return true
    }

    private static func hash(_ location: Location) -> UInt64 {
        var hash = RecentFixes.mix(UInt64(bitPattern: location.timestamp.milliseconds))
        hash = RecentFixes.mix(hash ^ location.coordinate.latitude.bitPattern)
        return RecentFixes.mix(hash ^ location.coordinate.longitude.bitPattern)
    }

    /// The finaliser of SplitMix64: every bit of the word bears on every bit of the hash.
    private static func mix(_ word: UInt64) -> UInt64 {
        var hash = word &+ 0x9E37_79B9_7F4A_7C15
        hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
        hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
        return hash ^ (hash >> 31)
    }

    // Whoever keeps a buffer keeps the fixes too: what was seen before is forgotten here, and known there.
    private enum CodingKeys: CodingKey { case capacity, newest }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            capacity: try container.decode(Int.self, forKey: .capacity),
            forgotten: try container.decode(Timestamp.self, forKey: .newest))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(capacity, forKey: .capacity)
        try container.encode(newest, forKey: .newest)
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
