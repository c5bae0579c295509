import FencepostGeometry
public import FencepostModel

/// Sorts one device's fixes by time within a window, and finds late fixes, duplicates and fixes of a wrong clock.
///
/// 16 bytes, and a heap block while it waits. The window and the memory are the same for all devices, so they are parameters.
public struct ReorderBuffer: Hashable, Sendable {
    /// The result for a fix on arrival.
    public enum Verdict: Hashable, Sendable {
        /// It is released for evaluation, now or when the window has passed.
        case accepted
        /// Its time leaps ahead of the fixes before, and it waits for those that follow, which show whether it is right.
        case held
        /// Its time is ahead of its arrival, or of a receiver whose week counter has rolled over. It may be stored, but is never
        /// evaluated.
        case ahead
        /// It is older than a released fix. It may be stored, but is never evaluated.
        case late
        /// A fix of the same device, time and coordinates is remembered.
        case duplicate
    }

    /// What a device has for which something is pending, as few have.
    private struct Waiting: Hashable {
        /// In time order.
        var fixes: [Location] = []
        var clock = ClockOffset()
        /// The number of fixes after those that `hold` holds which continue from before them.
        var contradictions: UInt8 = 0
        /// The time of the newest fix that was ahead of its arrival, until a newer one is released.
        var aheadThrough = Timestamp.distantPast

        var isEmpty: Bool {
            fixes.isEmpty && !clock.isOff && contradictions == 0 && aheadThrough == .distantPast
        }
    }

    private var waiting = Boxed<Waiting>()
    /// The time of the newest released fix.
    private var released = Timestamp.distantPast

    private var newest: Timestamp {
        waiting.isEmpty ? released : (waiting.read { $0.fixes.last?.timestamp } ?? nil) ?? released
    }

    /// Changes what waits, in place.
    @discardableResult
    private mutating func update<Result>(_ body: (inout Waiting) -> Result) -> Result {
        var fresh = Waiting()
        guard let result = waiting.update(body) else {
            let result = body(&fresh)
            if !fresh.isEmpty { waiting.set(fresh) }
            return result
        }
        if waiting.content.isEmpty { waiting.clear() }
        return result
    }

    /// A buffer that has released no fix.
    public init() {}

    /// The time of the newest released fix; `distantPast` before it.
    public var releasedThrough: Timestamp { released }

    /// The same buffer after fixes up to a time were released by another evaluation.
    ///
    /// `time`: fixes up to it are no longer buffered.
    public func released(through time: Timestamp) -> ReorderBuffer {
        var buffer = self
        buffer.update { $0.fixes.removeAll { $0.timestamp <= time } }
        buffer.released = max(released, time)
        return buffer
    }

    /// The same buffer without the buffered fixes.
    public var emptied: ReorderBuffer {
        var buffer = self
        buffer.update { ($0.fixes, $0.contradictions) = ([], 0) }
        return buffer
    }

    /// Whether a fix of this time is newer than all before, those included that were ahead of their arrival, so that it cannot be a
    /// duplicate. One that is ahead of its arrival `now` may be.
    public func isNew(_ timestamp: Timestamp, at now: Timestamp) -> Bool {
        timestamp > newest && timestamp.milliseconds - now.milliseconds <= ClockOffset.noticed
            && (waiting.isEmpty || timestamp > waiting.read { $0.aheadThrough } ?? .distantPast)
    }

    /// The number of fixes that wait for the window to pass.
    public var bufferedCount: Int { waiting.read { $0.fixes.count } ?? 0 }

    /// When the clock releases the first buffered fix; `nil` if there is none.
    public func deadline(window: Duration) -> Timestamp? {
        (waiting.read { $0.fixes.first?.timestamp } ?? nil).map { $0 + window }
    }

    /// How far the clock of the device is ahead, in seconds; `nil` if it is right, or if one fix alone says so.
    public var clockOffset: Int? { waiting.read { $0.clock.recognized } ?? nil }

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
        guard waiting.read({ $0.clock.isOff }) ?? false || offset > ClockOffset.noticed else { return nil }
        return arriveAhead(location, of: device, by: offset, memory: &memory)
    }

    @inline(never)
    private mutating func arriveAhead(
        _ location: Location, of device: UInt64, by offset: Int64, memory: inout FixMemory
    ) -> Verdict? {
        // A repetition says nothing new of the clock.
        if memory.contains(location, of: device) { return .duplicate }
        guard update({ $0.clock.isAhead(by: offset) }) else { return nil }
        update { $0.aheadThrough = max($0.aheadThrough, location.timestamp) }
        memory.insert(location, of: device)
        return .ahead
    }

    /// Whether `hold` has to take a recorded fix of this time, and not `accept`.
    @inline(__always)
    public func mayHold(_ timestamp: Timestamp) -> Bool {
        (!waiting.isEmpty && waiting.read { !$0.fixes.isEmpty || $0.clock.isOff || $0.contradictions > 0 } ?? false)
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
        return hold(location, ahead: ahead, ready: ready)
    }

    /// As `hold(_:of:memory:ahead:ready:)`, for a fix that is no duplicate, whether it leaps or not.
    mutating func hold(_ location: Location, ahead: (Location) -> Void, ready: (Location) -> Void) -> Verdict {
        let time = location.timestamp
        if time < released { return isOfWrongClock(time) ? .ahead : .late }
        if !mayHold(time) {
            released = time
            ready(location)
            return .accepted
        }
        if let first = waiting.read({ $0.fixes.first?.timestamp }) ?? nil,
            time.milliseconds - released.milliseconds < first.milliseconds - time.milliseconds
        {
            // Nearer to the fixes before the leap than to those after it.
            update { $0.contradictions += 1 }
            if isContradicted(by: ClockOffset.contradictions) { dropHeld(ahead) }
            released = time
            ready(location)
            return .accepted
        }
        let (count, first) = update {
            $0.fixes.insert(location, at: $0.fixes.partitioningIndex { Self.precedes(location, $0) })
            return ($0.fixes.count, $0.fixes[0].timestamp)
        }
        // The second condition holds where the fixes before the leap have come near it.
        guard count == ClockOffset.agreements || first.milliseconds - released.milliseconds <= ClockOffset.leap else {
            return .held
        }
        update { $0.contradictions = 0 }
        finish(ready: ready)
        return .accepted
    }

    /// Whether a recorded fix that is late has a time as receivers give it whose week counter has rolled over.
    public func isOfWrongClock(_ time: Timestamp) -> Bool { time.isRolledOver(from: released) }

    /// Whether as many fixes as are held, and so many at least, go on from before them.
    private func isContradicted(by least: UInt8) -> Bool {
        waiting.read { Int($0.contradictions) >= max(Int(least), $0.fixes.count) } ?? false
    }

    private mutating func dropHeld(_ ahead: (Location) -> Void) {
        waiting.read { $0.fixes.forEach(ahead) }
        update { ($0.fixes, $0.contradictions) = ([], 0) }
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
        if !waiting.isEmpty { forgetPassedAhead() }
        return .accepted
    }

    /// Forgets the time of the newest fix that was ahead when a newer one is released.
    @inline(never)
    private mutating func forgetPassedAhead() {
        let released = released
        update { if $0.aheadThrough <= released { $0.aheadThrough = .distantPast } }
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
        update { $0.fixes.insert(location, at: $0.fixes.partitioningIndex { Self.precedes(location, $0) }) }
        release(through: newest - window, ready: ready)
        return .accepted
    }

    /// Releases the fixes up to a moment, in time order.
    public mutating func release(through moment: Timestamp, ready: (Location) -> Void) {
        guard let count = waiting.read({ $0.fixes.partitioningIndex { $0.timestamp > moment } }), count > 0 else {
            return
        }
        var last = released
        waiting.read {
            for location in $0.fixes[..<count] {
                last = location.timestamp
                ready(location)
            }
        }
        released = last
        update { $0.fixes.removeFirst(count) }
        forgetPassedAhead()
    }

    /// Releases all buffered fixes at the end of the input, in time order, but for those that leapt ahead alone: `ahead` is
    /// called with these.
    public mutating func end(ahead: (Location) -> Void, ready: (Location) -> Void) {
        if isContradicted(by: 1) { dropHeld(ahead) } else { finish(ready: ready) }
    }

    /// Releases all buffered fixes, in time order.
    mutating func finish(ready: (Location) -> Void) {
        guard bufferedCount > 0 else { return }
        release(through: newest, ready: ready)
    }

    /// The size of its heap blocks, in bytes.
    public var heapByteCount: Int { waiting.heapByteCount + (waiting.read { HeapSize.ofArray($0.fixes) } ?? 0) }

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
    private enum CodingKeys: String, CodingKey { case buffered = "held", newest, released = "handedOn", clock, ahead }

    /// Reads a stored buffer.
    ///
    /// - Throws: `DecodingError` if a buffered fix is invalid.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        var waiting = Waiting()
        waiting.fixes = try container.decode([Location].self, forKey: .buffered)
        waiting.clock = try container.decodeIfPresent(ClockOffset.self, forKey: .clock) ?? ClockOffset()
        waiting.aheadThrough = try container.decodeIfPresent(Timestamp.self, forKey: .ahead) ?? .distantPast
        if !waiting.isEmpty { self.waiting.set(waiting) }
        released = try container.decodeIfPresent(Timestamp.self, forKey: .released) ?? .distantPast
    }

    /// Writes the buffered fixes and the time of the last released one.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(waiting.value?.fixes ?? [], forKey: .buffered)
        try container.encode(newest, forKey: .newest)
        try container.encode(released, forKey: .released)
        if let clock = waiting.value?.clock, clock.isOff { try container.encode(clock, forKey: .clock) }
        if let ahead = waiting.value?.aheadThrough, ahead != .distantPast {
            try container.encode(ahead, forKey: .ahead)
        }
    }
}
