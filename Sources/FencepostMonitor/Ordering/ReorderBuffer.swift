import FencepostGeometry
public import FencepostModel

/// Puts one device's fixes into time order, and tells the late and the repeated from the rest.
///
/// 16 bytes beside the fixes that it holds back. The window and the memory are the same for all devices and handed in.
public struct ReorderBuffer: Hashable, Sendable {
    /// What becomes of a fix on arrival.
    public enum Verdict: Hashable, Sendable {
        /// It will be handed on, now or when the window has passed.
        case accepted
        /// Older than what was handed on: kept by who keeps fixes, never evaluated.
        case late
        /// The same device, time and coordinates as one of the fixes that are remembered.
        case duplicate
    }

    private var held: [Location] = []
    private var handedOn = Timestamp.distantPast

    private var newest: Timestamp { held.last?.timestamp ?? handedOn }

    public init() {}

    /// Whether a fix of this time is newer than all before, so that it was not there.
    public func isNew(_ timestamp: Timestamp) -> Bool { timestamp > newest }

    /// Fixes that wait for the window to pass.
    public var heldCount: Int { held.count }

    /// When the first held fix is due by the clock.
    public func deadline(window: Duration) -> Timestamp? { held.first.map { $0.timestamp + window } }

    /// Whether a fix is to be handed on, where the window is zero.
    ///
    /// - Parameter device: what tells the device from others in the memory.
    @inline(__always)
    public mutating func accept(_ location: Location, of device: UInt64, memory: inout FixMemory) -> Verdict {
        // Equal to the last one in time it may still be another fix.
        if location.timestamp <= newest, memory.contains(location, of: device) { return .duplicate }
        memory.note(location, of: device)
        if location.timestamp < handedOn { return .late }
        handedOn = location.timestamp
        return .accepted
    }

    /// Takes a fix in the order of arrival; `ready` gets what can now be evaluated, in time order.
    public mutating func accept(
        _ location: Location, of device: UInt64, window: Duration, memory: inout FixMemory, ready: (Location) -> Void
    ) -> Verdict {
        guard window > .zero else {
            let verdict = accept(location, of: device, memory: &memory)
            if verdict == .accepted { ready(location) }
            return verdict
        }
        if location.timestamp <= newest, memory.contains(location, of: device) { return .duplicate }
        memory.note(location, of: device)
        if location.timestamp < handedOn { return .late }
        held.insert(location, at: held.partitioningIndex { precedes(location, $0) })
        release(through: newest - window, ready: ready)
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

    /// What it takes on the heap, in bytes.
    public var heapByteCount: Int { HeapSize.ofArray(held) }

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

extension ReorderBuffer: Codable {
    private enum CodingKeys: CodingKey { case held, newest, handedOn }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        held = try container.decode([Location].self, forKey: .held)
        handedOn = try container.decodeIfPresent(Timestamp.self, forKey: .handedOn) ?? .distantPast
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(held, forKey: .held)
        try container.encode(newest, forKey: .newest)
        try container.encode(handedOn, forKey: .handedOn)
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
