import FencepostEngine
import FencepostModel
import FencepostMonitor

/// Pairs of devices that proximity rules watch. Their fixes are compared after those of a batch were evaluated, so that the order
/// within it does not matter; what happened is written in the same commit.
extension MonitorSession {
    /// How long after its time an event of a pair is still a live one, though a late location has brought it about. Phones that
    /// send in batches of some minutes are not of the past.
    private static let liveness = Duration.seconds(900)

    /// Starts with what is stored of the pairs of the present rules.
    mutating func startProximity() async throws {
        returned = []
        let rules = engine.settings.proximity
        guard !rules.isEmpty else {
            (proximity, proximityTasks) = (nil, [:])
            return
        }
        var watch = ProximityWatch(rules)
        let devices = engine.deviceIDs.filter { watch.add($0) }
        let stored = try await store.proximityCheckpoint(of: devices, rules: rules.map(\.stateKey))
        for (device, fixes) in stored.fixes {
            watch.restore(fixes, of: device)
        }
        for pair in stored.pairs where aside[pair.first] == nil && aside[pair.second] == nil {
            watch.restore(
                pair.transitions, after: .separate(since: nil), of: pair.first, pair.second, ruleKey: pair.ruleKey)
        }
        watch.settle()
        proximity = watch
        defer { proximity?.isCompared = !proximityTasks.isEmpty }
        proximityTasks = Dictionary(
            try await store.proximityTasks().map { ($0.deviceID, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the pairs of a device are followed. Those of a device that is set aside are compared once it is evaluated again.
    func follows(_ device: DeviceID) -> Bool { aside[device] == nil && !returned.contains(device) }

    /// Compares what has come, and adds what follows from it to a batch.
    ///
    /// - Parameters:
    ///   - inFlight: the batch before, while its commit may not be in the store yet.
    ///   - batch: gets the events.
    /// - Returns: the devices that have events, whose checkpoints belong to the batch: they have the sequence numbers.
    /// - Throws: when the store cannot read.
    mutating func evaluatePairs(
        _ inFlight: EvaluatedBatch?, _ batch: inout EvaluatedBatch
    ) async throws -> [DeviceID] {
        guard let changes = proximity?.evaluate(), let late = proximity?.takeLate() else { return [] }
        defer { proximity?.isCompared = !proximityTasks.isEmpty }
        for (device, span) in late {
            let task = ProximityTask(device, from: span.lowerBound, through: span.upperBound)
            var sum = proximityTasks[device] ?? task
            sum.add(task)
            proximityTasks[device] = sum
        }
        batch.commit.proximityTasks = late.keys.sorted { $0.rawValue < $1.rawValue }.compactMap { proximityTasks[$0] }
        guard !changes.isEmpty else { return [] }
        var named: [PairChange] = []
        for change in changes { if let item = described(change) { named.append(item) } }
        return try await write(named, inFlight, &batch)
    }

    /// As `evaluatePairs`, after imported fixes.
    mutating func archivePairs(_ inFlight: EvaluatedBatch?, _ batch: inout EvaluatedBatch) async throws {
        for list in batch.commit.imported {
            for fix in list where !fix.isAhead && follows(fix.location.deviceID) { _ = proximity?.take(fix.location) }
        }
        let devices = try await evaluatePairs(inFlight, &batch)
        guard !devices.isEmpty else { return }
        batch.commit.checkpoints += try takeCheckpoints(all: false, and: devices, at: batch.commit.receivedAt)
    }

    /// What has changed for a pair, with the names of its devices.
    struct PairChange {
        var rule: ProximityRule
        var first, second: DeviceID
        var change: ProximityWatch.Change
    }

    private mutating func described(_ change: ProximityWatch.Change) -> PairChange? {
        guard let watch = proximity else { return nil }
        let (first, second) = (watch.id(change.pair.first), watch.id(change.pair.second))
        guard follows(first), follows(second) else { return nil }
        for device in [first, second] where engine.deviceIndex(of: device) == nil {
            // The fixes of an import are not evaluated yet. The sequence number of its events is part of its checkpoint.
            let replay = DeviceReplay(device, from: nil, engine.index, rules: plainRules)
            engine.adopt(replay.record.engine, buffer: .init())
        }
        return PairChange(rule: watch.rules[change.pair.rule], first: first, second: second, change: change)
    }

    /// Adds events, retractions and records of pairs to a batch.
    ///
    /// - Returns: the devices that have events.
    private mutating func write(
        _ changes: [PairChange], _ inFlight: EvaluatedBatch?, _ batch: inout EvaluatedBatch
    ) async throws -> [DeviceID] {
        var devices: Set<DeviceID> = []
        let held = try await held(changes, inFlight, batch)
        for item in changes {
            let key = item.rule.stateKey
            func record(_ action: ProximityRecord.Action, _ transition: ProximityTransition) -> ProximityRecord {
                ProximityRecord(
                    action, eventID: transition.event(of: item.rule, item.first, item.second).id, ruleKey: key,
                    first: item.first, second: item.second, transition)
            }
            for transition in item.change.withdrawn {
                let record = record(.withdraw, transition)
                batch.commit.proximity.append(record)
                guard let event = held[record.eventID] else { continue }
                let sequence = nextSequence(of: event.deviceID)
                let (retraction, replaced) = HistoryEvent.withdrawal(event, .lateLocations).stored(
                    sequence: sequence, receivedAt: batch.commit.receivedAt, &writer)
                if let replaced { batch.commit.superseded[replaced.id] = retraction.id }
                batch.commit.events.append(retraction)
                batch.commit.deliveries += composer.messages(forHistory: retraction)
                devices.insert(event.deviceID)
            }
            for transition in item.change.moved { batch.commit.proximity.append(record(.put, transition)) }
            for transition in item.change.added {
                let record = record(.put, transition)
                batch.commit.proximity.append(record)
                // A changed rule, or a comparison that has read what was found meanwhile, can find it again.
                guard held[record.eventID] == nil else { continue }
                var event = transition.event(of: item.rule, item.first, item.second)
                event.sequence = nextSequence(of: event.deviceID)
                var stored = EventRecord(
                    EmittedEvent(event: event, deliveries: []), receivedAt: batch.commit.receivedAt, &writer
                ).event
                let isPast =
                    item.change.isPast && transition.timestamp + Self.liveness < batch.commit.receivedAt
                if isPast { stored.origin = .history }
                batch.commit.events.append(stored)
                batch.commit.deliveries +=
                    isPast ? composer.messages(forHistory: stored) : composer.messages(for: stored)
                devices.insert(event.deviceID)
            }
        }
        return devices.sorted { $0.rawValue < $1.rawValue }
    }

    /// The events of what is withdrawn and of what is added, as far as they hold, by the ids that the evaluation gave them.
    private func held(
        _ changes: [PairChange], _ inFlight: EvaluatedBatch?, _ batch: EvaluatedBatch
    ) async throws -> [String: HeldEvent] {
        let causes = Set(
            changes.flatMap { item in
                (item.change.withdrawn + item.change.added).map { $0.event(of: item.rule, item.first, item.second).id }
            })
        guard !causes.isEmpty else { return [:] }
        var held = try await store.heldEvents(ofCauses: causes.sorted())
        for event in (inFlight?.commit.events ?? []) + batch.commit.events
        where causes.contains(event.cause ?? event.id) {
            held[event.cause ?? event.id] = HeldEvent(event, detectedAt: event.detectedAt ?? event.timestamp)
        }
        for id in inFlight?.commit.superseded.keys ?? [:].keys {
            if let cause = held.first(where: { $0.value.id == id })?.key { held[cause] = nil }
        }
        return held
    }

    private mutating func nextSequence(of device: DeviceID) -> Int {
        let monitor = engine.monitorSequence(of: device)
        let sequence = (roster.lastSequence(of: device) ?? monitor) + 1
        roster.continueSequence(of: device, after: sequence, monitor: monitor)
        return sequence
    }

    // MARK: The past

    /// The pairs of a device whose past is to be compared again.
    func pairs(of device: DeviceID) -> PairPlan? {
        guard let task = proximityTasks[device] else { return nil }
        guard !returned.contains(device) else { return PairPlan(task: task, pairs: [], isReady: false) }
        guard let watch = proximity else { return PairPlan(task: task, pairs: []) }
        let pairs = watch.watchedPairs(of: device).compactMap { pair -> PairPlan.Pair? in
            let end = watch.evaluableFrom(pair)
            let (first, second) = (watch.id(pair.first), watch.id(pair.second))
            guard end > task.from, follows(first), follows(second) else { return nil }
            return PairPlan.Pair(rule: watch.rules[pair.rule], first: first, second: second, evaluableFrom: end)
        }
        return PairPlan(task: task, pairs: pairs)
    }

    /// Takes what a comparison of the past of a pair has found.
    mutating func revise(
        _ result: PairRevision, token: ProximityTask, _ inFlight: EvaluatedBatch?, _ batch: inout EvaluatedBatch
    ) async throws -> HistoryAnswer {
        guard proximityTasks[token.deviceID] == token, var watch = proximity,
            let pair = watch.pair(result.rule.stateKey, result.first, result.second)
        else { return .outdated }
        var change: ProximityWatch.Change
        if result.isConverged {
            change = ProximityWatch.compare(result.held, result.found, of: pair)
        } else {
            // What can be evaluated from memory is, since it has the newest fixes.
            let start = watch.evaluableFrom(pair)
            guard start <= result.end else { return .outdated }
            change = ProximityWatch.compare(
                result.held.filter { $0.detectedAt < start }, result.found.filter { $0.detectedAt < start }, of: pair)
            let phase = result.found.last { $0.detectedAt < start }?.phase ?? result.base
            let later = watch.rebase(phase, at: start, of: pair)
            change.added += later.added
            change.withdrawn += later.withdrawn
            change.moved += later.moved
            // What was decided after the span, and is decided within it now, is the same event.
            let again = change.added.filter { new in change.withdrawn.contains { $0.isSame(as: new) } }
            change.added.removeAll { new in again.contains { $0.isSame(as: new) } }
            change.withdrawn.removeAll { old in again.contains { $0.isSame(as: old) } }
            change.moved += again
            proximity = watch
        }
        change.isPast = true
        guard let named = described(change) else { return .outdated }
        let devices = try await write([named], inFlight, &batch)
        batch.commit.checkpoints = try takeCheckpoints(all: false, and: devices, at: batch.commit.receivedAt)
        batch.statusDelta = statusDelta(of: batch.commit)
        return .done
    }

    /// Ends a task, unless there are new fixes.
    mutating func finishPairs(
        of device: DeviceID, token: ProximityTask, _ batch: inout EvaluatedBatch
    ) -> HistoryAnswer {
        guard proximityTasks[device] == nil || proximityTasks[device] == token else { return .outdated }
        proximityTasks[device] = nil
        batch.commit.finishedProximity = [device]
        return .done
    }
}

/// The pairs of a device whose past is to be compared again, and the span.
struct PairPlan: Sendable {
    struct Pair: Sendable {
        var rule: ProximityRule
        var first, second: DeviceID
        /// From here on memory has all fixes.
        var evaluableFrom: Timestamp
    }

    var task: ProximityTask
    var pairs: [Pair]
    /// Whether the pairs of the device are followed already.
    var isReady = true
}

/// What a comparison of the past of a pair has found.
struct PairRevision: Sendable {
    var rule: ProximityRule
    var first, second: DeviceID
    /// The phase at the beginning of the span.
    var base: ProximityPhase
    /// What happened in the span, and what was stored of it.
    var found: [ProximityTransition] = []
    var held: [ProximityTransition] = []
    /// The end of the span.
    var end: Timestamp
    /// Whether nothing changes after the span, which is older than all that memory has.
    var isConverged = false
}
