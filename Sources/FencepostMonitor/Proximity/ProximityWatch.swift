import FencepostGeometry
public import FencepostModel

/// The pairs of devices that proximity rules watch, and the tracks of these devices.
///
/// It takes fixes in any order, and says after a number of them what has changed: what happened, and what has not happened after
/// all. The result is that of all fixes in order of time. Only pairs that are near each other, or were lately, have a state.
public struct ProximityWatch: Sendable {
    /// Two devices and the rule that watches them.
    public struct Pair: Hashable, Sendable {
        /// The index of the rule.
        public var rule: Int
        /// The indices of the devices: the one that events are about, and the other one.
        public var first, second: Int
    }

    /// What has changed for a pair.
    public struct Change: Sendable {
        /// The pair.
        public var pair: Pair
        /// What happened, in order.
        public var added: [ProximityTransition] = []
        /// What was reported and has not happened.
        public var withdrawn: [ProximityTransition] = []
        /// What was reported and was decided at another time.
        public var moved: [ProximityTransition] = []
        /// Whether fixes have brought it about that were not the newest ones of the pair.
        public var isPast = false

        /// A change of nothing.
        public init(pair: Pair) { self.pair = pair }
    }

    /// The outcome of a fix.
    public enum Verdict: Hashable, Sendable {
        /// No rule watches its device, or it says nothing new.
        case ignored
        case taken
    }

    private struct Device {
        var id: DeviceID
        var track = ProximityTrack()
        /// The rules that watch it, and those that watch others against it.
        var watching: [Int] = []
        var against: [Int] = []
        /// Its pairs that have a state.
        var pairs: Set<Pair> = []
        /// The newest fix before those that are not evaluated yet; `nil` without such.
        var lastEvaluated: Timestamp?
    }

    private struct PairState {
        var state: ProximityState
        /// The phase before the transitions.
        var base: ProximityPhase
        /// What happened since, in order.
        var transitions: [ProximityTransition] = []
    }

    /// The rules, without groups.
    public let rules: [ProximityRule]
    private var devices: [Device] = []
    private var indices: [DeviceID: Int] = [:]
    private var unwatched: Set<DeviceID> = []
    /// The devices on both sides of each rule.
    private var firsts: [[Int]], seconds: [[Int]]
    private var boxes: [SIMD4<Float>] = []
    private var pairs: [Pair: PairState] = [:]
    /// The pairs to evaluate, with the time of the earliest new fix.
    private var due: [Pair: Timestamp] = [:]
    private var changed: [Int] = []
    /// The newest time from which on the fixes of a device are kept.
    private var newestKept = Timestamp.distantPast
    /// The devices of which there are fixes that only an evaluation of history can use, with the span of these.
    private var late: [DeviceID: ClosedRange<Timestamp>] = [:]

    /// Whether the past is being compared, from what was stored some time ago. A location that arrives then, and is as
    /// old as `overlap` says, may not have been read.
    public var isCompared = false
    /// How far a comparison of the past reads into what can be evaluated from memory, which moves on meanwhile.
    public static let overlap = Duration.seconds(600)

    /// A watch that knows no device.
    public init(_ rules: [ProximityRule]) {
        self.rules = rules
        firsts = rules.map { _ in [] }
        seconds = rules.map { _ in [] }
    }

    /// The id of a device, by its index.
    public func id(_ device: Int) -> DeviceID { devices[device].id }

    /// The ids of the watched devices.
    public var watchedDevices: [DeviceID] { devices.map(\.id) }

    /// Whether events may be about a device, which is known.
    public func watches(_ id: DeviceID) -> Bool { indices[id].map { !devices[$0].watching.isEmpty } ?? false }

    /// The number of pairs that rules watch, of the devices that are known.
    public var pairCount: Int {
        rules.indices.reduce(0) { sum, rule in
            let (a, b) = (firsts[rule].count, seconds[rule].count)
            return sum + (rules[rule].isAmongThemselves ? a * (a - 1) / 2 : a * b)
        }
    }

    // MARK: Start

    /// Adds a device, if any rule is about it.
    ///
    /// - Returns: whether one is.
    @discardableResult
    public mutating func add(_ id: DeviceID) -> Bool { index(of: id) != nil }

    /// Sets the fixes of a device as of a start: all within `ProximityTrack.keptSpan`, and those before that it keeps.
    public mutating func restore(_ locations: [Location], of id: DeviceID) {
        guard let index = index(of: id) else { return }
        devices[index].track.restore(locations)
        boxes[index] = devices[index].track.box
        newestKept = max(newestKept, devices[index].track.completeFrom)
    }

    /// Sets what has happened to a pair, as of a start.
    ///
    /// - Parameters:
    ///   - transitions: all since its oldest fix that is kept.
    ///   - base: the phase before.
    ///   - first: the device that events are about.
    ///   - second: the other one.
    ///   - key: the state key of the rule; a rule with another one begins again.
    public mutating func restore(
        _ transitions: [ProximityTransition], after base: ProximityPhase, of first: DeviceID, _ second: DeviceID,
        ruleKey key: String
    ) {
        guard let rule = rules.firstIndex(where: { $0.stateKey == key }), let a = index(of: first),
            let b = index(of: second)
        else { return }
        let pair = Pair(rule: rule, first: a, second: b)
        let known = transitions.sorted { ($0.detectedAt, $0.rank) < ($1.detectedAt, $1.rank) }
        pairs[pair] = PairState(
            state: ProximityState(known.last?.phase ?? base), base: base, transitions: known)
        devices[a].pairs.insert(pair)
        devices[b].pairs.insert(pair)
    }

    /// Ends a start: derives again what single comparisons of the kept fixes speak for.
    public mutating func settle() {
        for index in devices.indices where !devices[index].track.fixes.isEmpty {
            noteAll(near: devices[index].track.box, of: index, .distantPast)
            for pair in devices[index].pairs { note(pair, .distantPast) }
        }
        for pair in due.keys {
            let (first, second) = (devices[pair.first].track, devices[pair.second].track)
            var known = pairs[pair] ?? PairState(state: ProximityState(), base: .separate(since: nil))
            known.state = ProximityState.replayed(
                known.transitions, after: known.base, from: max(first.lastTime, second.lastTime).after(1), first,
                second, rules[pair.rule]
            ) { _ in }
            store(known, pair)
        }
        due.removeAll()
    }

    /// Forgets a device and its pairs.
    public mutating func forget(_ id: DeviceID) {
        unwatched.remove(id)
        guard let index = indices[id] else { return }
        for pair in devices[index].pairs {
            pairs[pair] = nil
            devices[pair.first == index ? pair.second : pair.first].pairs.remove(pair)
        }
        due = due.filter { $0.key.first != index && $0.key.second != index }
        devices[index].pairs = []
        devices[index].track = ProximityTrack()
        devices[index].lastEvaluated = nil
        boxes[index] = devices[index].track.box
    }

    private mutating func index(of id: DeviceID) -> Int? {
        if let known = indices[id] { return known }
        guard !unwatched.contains(id) else { return nil }
        var device = Device(id: id)
        device.watching = rules.indices.filter { rules[$0].watches(id) }
        device.against = rules.indices.filter { rules[$0].watchesAgainst(id) }
        guard !device.watching.isEmpty || !device.against.isEmpty else {
            unwatched.insert(id)
            return nil
        }
        let index = devices.count
        devices.append(device)
        boxes.append(device.track.box)
        indices[id] = index
        for rule in device.watching { firsts[rule].append(index) }
        for rule in device.against { seconds[rule].append(index) }
        return index
    }

    // MARK: Fixes

    /// Takes a fix. `evaluate` says later what follows from it.
    public mutating func take(_ location: Location) -> Verdict {
        guard let index = index(of: location.deviceID) else { return .ignored }
        let last = devices[index].track.lastTime
        let span = ProximityState.memory + (isCompared ? Self.overlap : .zero)
        if newestKept > .distantPast, location.timestamp < newestKept + span {
            let (id, time) = (location.deviceID, location.timestamp)
            late[id] = late[id].map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
        }
        guard let position = devices[index].track.insert(ProximityFix(location)) else { return .ignored }
        if devices[index].lastEvaluated == nil {
            devices[index].lastEvaluated = last
            changed.append(index)
        }
        boxes[index] = devices[index].track.box
        for pair in devices[index].pairs { note(pair, location.timestamp) }
        // The positions that the fix changes are between those before and after it.
        let fixes = devices[index].track.fixes
        var area = SIMD4<Float>(.infinity, .infinity, -.infinity, -.infinity)
        for near in max(0, position - 1)...min(position + 1, fixes.count - 1) {
            let (y, x) = (Float(fixes[near].coordinate.latitude), Float(fixes[near].coordinate.longitude))
            area = SIMD4(min(area.x, y), min(area.y, x), max(area.z, y), max(area.w, x))
        }
        noteAll(near: area, of: index, location.timestamp)
        return .taken
    }

    private mutating func noteAll(near area: SIMD4<Float>, of index: Int, _ time: Timestamp) {
        for rule in devices[index].watching { note(rule, index, against: seconds[rule], area, time, isFirst: true) }
        for rule in devices[index].against where !rules[rule].isAmongThemselves {
            note(rule, index, against: firsts[rule], area, time, isFirst: false)
        }
    }

    private mutating func note(_ pair: Pair, _ time: Timestamp) {
        due[pair] = min(due[pair] ?? time, time)
    }

    /// Notes the pairs with the devices whose fixes are near an area. Six parameters, because it is a loop of `take`.
    private mutating func note(
        _ rule: Int, _ device: Int, against others: [Int], _ area: SIMD4<Float>, _ time: Timestamp, isFirst: Bool
    ) {
        // Positions beyond the distance never speak for being near: see `ProximityComparison`.
        let margin = Float(rules[rule].distance / 110_000) + 1e-4
        let cosine = max(1 - max(area.x.magnitude, area.z.magnitude) / 90, 0.001)
        let wide = margin / cosine
        // Where a comparison of degrees is wrong, at the poles and at the antimeridian, all are compared.
        let isOdd = max(area.x.magnitude, area.z.magnitude) > 85 || min(area.y, -area.w) < -179
        let box = SIMD4(area.x - margin, area.y - wide, area.z + margin, area.w + wide)
        for other in others where other != device {
            let theirs = boxes[other]
            guard
                isOdd
                    || (theirs.x <= box.z && theirs.y <= box.w && theirs.z >= box.x && theirs.w >= box.y),
                theirs.x <= theirs.z
            else { continue }
            note(pair(rule, device, other, isFirst: isFirst), time)
        }
    }

    /// Where a rule watches both devices against each other, the one with the lower id is the first.
    private func pair(_ rule: Int, _ device: Int, _ other: Int, isFirst: Bool) -> Pair {
        let swaps =
            (rules[rule].isAmongThemselves
                || (devices[other].watching.contains(rule) && devices[other].against.contains(rule)
                    && devices[device].watching.contains(rule) && devices[device].against.contains(rule)))
            && (devices[other].id.rawValue < devices[device].id.rawValue) == isFirst
        return isFirst != swaps
            ? Pair(rule: rule, first: device, second: other) : Pair(rule: rule, first: other, second: device)
    }

    // MARK: Evaluation

    /// The devices of which there were fixes, since the last call, that are too old for what is kept of some device, with the
    /// span of their times. Only an evaluation of history can use all of them.
    public mutating func takeLate() -> [DeviceID: ClosedRange<Timestamp>] {
        defer { if !late.isEmpty { late = [:] } }
        return late
    }

    /// What follows from the fixes since the last call, by pair.
    public mutating func evaluate() -> [Change] {
        guard !changed.isEmpty else { return [] }
        var changes: [Change] = []
        let known = due
        due.removeAll(keepingCapacity: true)
        for (pair, from) in known {
            let change = evaluate(pair, from: from)
            if !change.added.isEmpty || !change.withdrawn.isEmpty || !change.moved.isEmpty { changes.append(change) }
        }
        for index in changed {
            devices[index].lastEvaluated = nil
            devices[index].track.trim()
            boxes[index] = devices[index].track.box
            newestKept = max(newestKept, devices[index].track.completeFrom)
        }
        changed.removeAll(keepingCapacity: true)
        return changes.count < 2
            ? changes
            : changes.sorted {
                let (a, b) = (devices[$0.pair.first].id.rawValue, devices[$1.pair.first].id.rawValue)
                if a != b { return a < b }
                let (c, d) = (devices[$0.pair.second].id.rawValue, devices[$1.pair.second].id.rawValue)
                return c != d ? c < d : $0.pair.rule < $1.pair.rule
            }
    }

    private mutating func evaluate(_ pair: Pair, from start: Timestamp) -> Change {
        let (first, second) = (devices[pair.first], devices[pair.second])
        let rule = rules[pair.rule]
        var change = Change(pair: pair)
        let frontier = max(
            first.lastEvaluated ?? first.track.lastTime, second.lastEvaluated ?? second.track.lastTime)
        var known = pairs[pair] ?? PairState(state: ProximityState(), base: .separate(since: nil))
        if start > frontier {
            known.state.run(from: start, first.track, second.track, rule) { change.added.append($0) }
            known.transitions += change.added
        } else {
            // What is older is a matter of history.
            let start = max(start, evaluableFrom(pair))
            let kept = known.transitions.prefix { $0.detectedAt < start }
            let former = known.transitions.dropFirst(kept.count)
            var found: [ProximityTransition] = []
            known.state = ProximityState.replayed(
                Array(kept), after: known.base, from: start, first.track, second.track, rule
            ) { found.append($0) }
            change = Self.compare(Array(former), found, of: pair)
            change.isPast = true
            known.transitions = Array(kept) + found
        }
        store(known, pair)
        return change
    }

    /// What differs between what was reported and what is found now.
    public static func compare(_ former: [ProximityTransition], _ found: [ProximityTransition], of pair: Pair) -> Change
    {
        var change = Change(pair: pair)
        for transition in found {
            guard let same = former.first(where: { $0.isSame(as: transition) }) else {
                change.added.append(transition)
                continue
            }
            if same.detectedAt != transition.detectedAt || same.since != transition.since {
                change.moved.append(transition)
            }
        }
        change.withdrawn = former.filter { old in !found.contains { $0.isSame(as: old) } }
        return change
    }

    private mutating func store(_ state: PairState, _ pair: Pair) {
        var state = state
        // What no fix that is kept can change any more is the phase alone.
        let kept = evaluableFrom(pair)
        while let oldest = state.transitions.first, oldest.detectedAt < kept - ProximityState.memory {
            state.base = oldest.phase
            state.transitions.removeFirst()
        }
        if state.transitions.isEmpty, case .separate(let since?) = state.base, since < kept - ProximityState.memory {
            state.base = .separate(since: nil)
            if state.state.isTrivial { state.state = ProximityState() }
        }
        if state.state.isTrivial, state.transitions.isEmpty, state.base == .separate(since: nil) {
            guard pairs.removeValue(forKey: pair) != nil else { return }
            devices[pair.first].pairs.remove(pair)
            devices[pair.second].pairs.remove(pair)
        } else {
            if pairs.updateValue(state, forKey: pair) == nil {
                devices[pair.first].pairs.insert(pair)
                devices[pair.second].pairs.insert(pair)
            }
        }
    }

    // MARK: The past

    /// The time from which on the transitions of a pair can still be evaluated from what is kept.
    public func evaluableFrom(_ pair: Pair) -> Timestamp {
        let kept = max(devices[pair.first].track.completeFrom, devices[pair.second].track.completeFrom)
        return kept == .distantPast ? kept : kept + ProximityState.memory
    }

    /// A pair of known devices; `nil` where no rule with that state key watches it.
    public func pair(_ ruleKey: String, _ first: DeviceID, _ second: DeviceID) -> Pair? {
        guard let rule = rules.firstIndex(where: { $0.stateKey == ruleKey }), let a = indices[first],
            let b = indices[second]
        else { return nil }
        return Pair(rule: rule, first: a, second: b)
    }

    /// The pairs of a device that rules watch, of the devices that are known.
    public func watchedPairs(of id: DeviceID) -> [Pair] {
        guard let device = indices[id] else { return [] }
        var found: Set<Pair> = []
        for rule in devices[device].watching {
            for other in seconds[rule] where other != device { found.insert(pair(rule, device, other, isFirst: true)) }
        }
        for rule in devices[device].against where !rules[rule].isAmongThemselves {
            for other in firsts[rule] where other != device { found.insert(pair(rule, device, other, isFirst: false)) }
        }
        return found.sorted { ($0.rule, $0.first, $0.second) < ($1.rule, $1.first, $1.second) }
    }

    /// Sets the phase of a pair before what can still be evaluated, as an evaluation of history has found it.
    ///
    /// - Parameters:
    ///   - base: the phase at a time.
    ///   - time: the time, not before `evaluableFrom`.
    ///   - pair: the pair.
    /// - Returns: what has changed since that time.
    public mutating func rebase(_ base: ProximityPhase, at time: Timestamp, of pair: Pair) -> Change {
        var known = pairs[pair] ?? PairState(state: ProximityState(), base: base)
        known.base = base
        let former = known.transitions.filter { $0.detectedAt >= time }
        var found: [ProximityTransition] = []
        known.state = ProximityState.replayed(
            [], after: base, from: time, devices[pair.first].track, devices[pair.second].track, rules[pair.rule]
        ) { found.append($0) }
        known.transitions = found
        store(known, pair)
        return Self.compare(former, found, of: pair)
    }
}

extension ProximityState {
    /// Takes the fixes of both tracks from a time on. Six parameters, because a pair has two tracks and a rule.
    package mutating func run(
        from start: Timestamp, through end: Timestamp = .distantFuture, _ first: ProximityTrack,
        _ second: ProximityTrack, _ rule: ProximityRule, report: (ProximityTransition) -> Void
    ) {
        var (a, b) = (first.firstIndex(from: start), second.firstIndex(from: start))
        while true {
            let next = min(
                a < first.fixes.count ? first.fixes[a].timestamp : .distantFuture,
                b < second.fixes.count ? second.fixes[b].timestamp : .distantFuture)
            guard next < .distantFuture, next <= end else { return }
            take(next, first, second, rule, report: report)
            if a < first.fixes.count, first.fixes[a].timestamp == next { a += 1 }
            if b < second.fixes.count, second.fixes[b].timestamp == next { b += 1 }
        }
    }

    /// The state after both tracks, where what happened before a time is known. Eight parameters, because a pair has two tracks and a rule.
    ///
    /// - Parameters:
    ///   - known: what happened before the time, in order.
    ///   - base: the phase before that.
    ///   - start: the time.
    ///   - first: the track of the device that events are about.
    ///   - second: that of the other one.
    ///   - rule: what is watched.
    ///   - end: the last time to evaluate.
    ///   - report: gets what happened from the time on.
    /// - Returns: the state.
    package static func replayed(
        _ known: [ProximityTransition], after base: ProximityPhase, from start: Timestamp, _ first: ProximityTrack,
        _ second: ProximityTrack, _ rule: ProximityRule, through end: Timestamp = .distantFuture,
        report: (ProximityTransition) -> Void
    ) -> ProximityState {
        let begin = start - memory
        var rest = known[...]
        var phase = base
        func advance(before time: Timestamp) {
            while let next = rest.first, next.detectedAt < time {
                phase = next.phase
                rest.removeFirst()
            }
        }
        advance(before: begin)
        var state = ProximityState(phase)
        var (a, b) = (first.firstIndex(from: begin), second.firstIndex(from: begin))
        while true {
            let next = min(
                a < first.fixes.count ? first.fixes[a].timestamp : .distantFuture,
                b < second.fixes.count ? second.fixes[b].timestamp : .distantFuture)
            guard next < start else { break }
            state.take(next, first, second, rule) { _ in }
            advance(before: next.after(1))
            state.set(phase)
            if a < first.fixes.count, first.fixes[a].timestamp == next { a += 1 }
            if b < second.fixes.count, second.fixes[b].timestamp == next { b += 1 }
        }
        advance(before: start)
        state.set(phase)
        state.run(from: start, through: end, first, second, rule, report: report)
        return state
    }
}
