import FencepostGeometry
public import FencepostModel

/// Sorts one device's fixes by time within a window, and finds late fixes, duplicates and fixes of a wrong clock.
///
/// 22 bytes, plus the buffered fixes. The window and the memory are the same for all devices, so they are parameters.
public struct ReorderBuffer: Hashable, Sendable {
    /// The result for a fix on arrival.
    public enum Verdict: Hashable, Sendable {
        /// It is released for evaluation, now or when the window has passed.
        case accepted
        /// Its time leaps ahead of the fixes before, and it waits for those that follow, which show whether it is right.
        case held
        /// Its time is ahead of its arrival. It may be stored, but is never evaluated.
        case ahead
        /// It is older than a released fix. It may be stored, but is never evaluated.
        case late
        /// A fix of the same device, time and coordinates is remembered.
        case duplicate
    }

    /// In time order.
    private var buffered: [Location] = []
    /// The time of the newest released fix.
    private var released = Timestamp.distantPast
    private var clock = ClockOffset()
    /// The number of fixes after those that `hold` holds which continue from before them.
    private var contradictions: UInt8 = 0

    private var newest: Timestamp { buffered.last?.timestamp ?? released }

    /// A buffer that has released no fix.
    public init() {}

    /// The time of the newest released fix; `distantPast` before it.
    public var releasedThrough: Timestamp { released }

    /// The same buffer after fixes up to a time were released by another evaluation.
    ///
    /// `time`: fixes up to it are no longer buffered.
    public func released(through time: Timestamp) -> ReorderBuffer {
        var buffer = self
        buffer.buffered.removeAll { $0.timestamp <= time }
        buffer.released = max(released, time)
        return buffer
    }

    /// The same buffer without the buffered fixes.
    public var emptied: ReorderBuffer {
        var buffer = self
        buffer.buffered = []
        return buffer
    }

    /// Whether a fix of this time is newer than all before, so that it cannot be a duplicate. One that is ahead of its arrival
    /// `now` may be.
    public func isNew(_ timestamp: Timestamp, at now: Timestamp) -> Bool {
        timestamp > newest && timestamp.milliseconds - now.milliseconds <= ClockOffset.noticed
    }

    /// The number of fixes that wait for the window to pass.
    public var bufferedCount: Int { buffered.count }

    /// When the clock releases the first buffered fix; `nil` if there is none.
    public func deadline(window: Duration) -> Timestamp? { buffered.first.map { $0.timestamp + window } }

    /// How far the clock of the device is ahead, in seconds; `nil` if it is right, or if one fix alone says so.
    public var clockOffset: Int? { clock.recognized }

    /// Takes a fix whose time may be ahead of its arrival, before `accept` does.
    ///
    /// - Parameters:
    ///   - location: the fix.
    ///   - device: the fingerprint of the device.
    ///   - now: the time of the arrival.
    ///   - memory: the fixes that duplicates are recognised by; receives this one if it is ahead.
    /// - Returns: `ahead` or `duplicate`; `nil` if `accept` takes it.
    @inline(__always)
    public mutating func arrive(
        _ location: Location, of device: UInt64, at now: Timestamp, memory: inout FixMemory
    ) -> Verdict? {
        let offset = location.timestamp.milliseconds - now.milliseconds
        guard clock.isOff || offset > ClockOffset.noticed else { return nil }
        return arriveAhead(location, of: device, by: offset, memory: &memory)
    }

    @inline(never)
    private mutating func arriveAhead(
        _ location: Location, of device: UInt64, by offset: Int64, memory: inout FixMemory
    ) -> Verdict? {
        // A repetition says nothing new of the clock.
        if memory.contains(location, of: device) { return .duplicate }
        guard clock.isAhead(by: offset) else { return nil }
        memory.insert(location, of: device)
        return .ahead
    }

    /// Whether `hold` has to take a recorded fix of this time, and not `accept`.
    @inline(__always)
    public func mayHold(_ timestamp: Timestamp) -> Bool {
        !buffered.isEmpty
            || (timestamp.milliseconds - ClockOffset.leap > released.milliseconds && released != .distantPast)
    }

    /// Takes a recorded fix in the order of arrival, for a window of zero, if `mayHold`.
    ///
    /// A file has no time of arrival. So fixes that leap ahead wait for those that follow: if two of them go on from before the
    /// leap, the clock was wrong.
    ///
    /// - Parameters:
    ///   - location: the fix.
    ///   - device: the fingerprint of the device.
    ///   - memory: the fixes that duplicates are recognised by; receives this one.
    ///   - ahead: is called with each fix that was held and turns out to be of a wrong clock.
    ///   - ready: is called with each fix that is released, in time order.
    /// - Returns: `accepted` if the fix was released.
    @inline(never)
    public mutating func hold(
        _ location: Location, of device: UInt64, memory: inout FixMemory, ahead: (Location) -> Void,
        ready: (Location) -> Void
    ) -> Verdict {
        if location.timestamp <= newest, memory.contains(location, of: device) { return .duplicate }
        memory.insert(location, of: device)
        return hold(location, isLeap: true, ahead: ahead, ready: ready)
    }

    /// As `hold(_:of:memory:ahead:ready:)`, for a fix that is no duplicate. `isLeap` is `mayHold`.
    mutating func hold(
        _ location: Location, isLeap: Bool, ahead: (Location) -> Void, ready: (Location) -> Void
    ) -> Verdict {
        let time = location.timestamp
        if time < released { return .late }
        if !isLeap {
            released = time
            ready(location)
            return .accepted
        }
        if let first = buffered.first?.timestamp {
            // Nearer to the fixes before the leap than to those after it.
            if time.milliseconds - released.milliseconds < first.milliseconds - time.milliseconds {
                contradictions += 1
                if contradictions >= max(ClockOffset.contradictions, UInt8(clamped: Double(buffered.count))) {
                    dropHeld(ahead)
                }
                released = time
                ready(location)
                return .accepted
            }
            buffered.insert(location, at: buffered.partitioningIndex { Self.precedes(location, $0) })
        } else {
            buffered = [location]
        }
        // The second condition holds where the fixes before the leap have come near it.
        guard
            buffered.count == ClockOffset.agreements
                || buffered[0].timestamp.milliseconds - released.milliseconds <= ClockOffset.leap
        else { return .held }
        contradictions = 0
        finish(ready: ready)
        return .accepted
    }

    private mutating func dropHeld(_ ahead: (Location) -> Void) {
        buffered.forEach(ahead)
        (buffered, contradictions) = ([], 0)
    }

    /// Takes a fix in the order of arrival, for a window of zero: the caller evaluates an accepted fix at once.
    ///
    /// - Parameters:
    ///   - location: the fix.
    ///   - device: the fingerprint of the device.
    ///   - memory: the fixes that duplicates are recognised by; receives this one.
    /// - Returns: `accepted` if the caller evaluates the fix now.
    @inline(__always)
    public mutating func accept(_ location: Location, of device: UInt64, memory: inout FixMemory) -> Verdict {
        // A fix of the same time as the newest one may be another fix.
        if location.timestamp <= newest, memory.contains(location, of: device) { return .duplicate }
        memory.insert(location, of: device)
        if location.timestamp < released { return .late }
        released = location.timestamp
        return .accepted
    }

    /// Takes a fix in the order of arrival.
    ///
    /// - Parameters:
    ///   - location: the fix.
    ///   - device: the fingerprint of the device.
    ///   - window: how long fixes are buffered, by the time of the newest one.
    ///   - memory: the fixes that duplicates are recognised by; receives this one.
    ///   - ready: is called with each fix that is released, in time order.
    /// - Returns: `accepted` if the fix was released or is buffered.
    public mutating func accept(
        _ location: Location, of device: UInt64, window: Duration, memory: inout FixMemory, ready: (Location) -> Void
    ) -> Verdict {
        guard window > .zero else {
            let verdict = accept(location, of: device, memory: &memory)
            if verdict == .accepted { ready(location) }
            return verdict
        }
        if location.timestamp <= newest, memory.contains(location, of: device) { return .duplicate }
        memory.insert(location, of: device)
        if location.timestamp < released { return .late }
        buffered.insert(location, at: buffered.partitioningIndex { Self.precedes(location, $0) })
        release(through: newest - window, ready: ready)
        return .accepted
    }

    /// Releases the fixes up to a moment, in time order.
    public mutating func release(through moment: Timestamp, ready: (Location) -> Void) {
        let count = buffered.partitioningIndex { $0.timestamp > moment }
        guard count > 0 else { return }
        for location in buffered[..<count] {
            released = location.timestamp
            ready(location)
        }
        buffered.removeFirst(count)
    }

    /// Releases all buffered fixes at the end of the input, in time order, but for those that leapt ahead alone: `ahead` is
    /// called with these.
    public mutating func end(ahead: (Location) -> Void, ready: (Location) -> Void) {
        if contradictions >= max(buffered.count, 1) { dropHeld(ahead) } else { finish(ready: ready) }
    }

    /// Releases all buffered fixes, in time order.
    mutating func finish(ready: (Location) -> Void) {
        guard let last = buffered.last else { return }
        release(through: last.timestamp, ready: ready)
    }

    /// The size of its heap blocks, in bytes.
    public var heapByteCount: Int { HeapSize.ofArray(buffered) }

    /// Orders by time, and fixes of the same time independently of their arrival.
    public static func precedes(_ a: Location, _ b: Location) -> Bool {
        func key(_ location: Location) -> (Timestamp, Double, Double, Double, Double) {
            (
                location.timestamp, location.horizontalAccuracy ?? .infinity, location.coordinate.latitude,
                location.coordinate.longitude, location.speed ?? -1
            )
        }
        return key(a) < key(b)
    }
}

// The keys are part of stored states and must not change.
extension ReorderBuffer: Codable {
    private enum CodingKeys: String, CodingKey { case buffered = "held", newest, released = "handedOn", clock }

    /// Reads a stored buffer.
    ///
    /// - Throws: `DecodingError` if a buffered fix is invalid.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        buffered = try container.decode([Location].self, forKey: .buffered)
        released = try container.decodeIfPresent(Timestamp.self, forKey: .released) ?? .distantPast
        clock = try container.decodeIfPresent(ClockOffset.self, forKey: .clock) ?? ClockOffset()
    }

    /// Writes the buffered fixes and the time of the last released one.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(buffered, forKey: .buffered)
        try container.encode(newest, forKey: .newest)
        try container.encode(released, forKey: .released)
        if clock.isOff { try container.encode(clock, forKey: .clock) }
    }
}
