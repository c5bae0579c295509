import FencepostModel
import FencepostMonitor

/// Comparisons of the past of two devices, where late locations are older than what the worker keeps of them.
extension HistoryService {
    /// The span that is read at a time.
    private static let span = Duration.seconds(86_400)

    /// Compares a device with the others of its pairs.
    func compare(_ task: ProximityTask) async throws {
        guard case .pairs(let plan) = try await worker.take(.pairs(task.deviceID)) else {
            preconditionFailure("the answer to pairs is a plan")
        }
        guard let plan else {
            // Its rules, or the device, are no more.
            _ = try await worker.take(.finishPairs(task.deviceID, token: task))
            return
        }
        guard plan.isReady else { return try await worker.alertRulesDidChange() }
        // A task may begin before all fixes.
        var span = plan.task
        guard let first = try await store.firstLocation(of: task.deviceID) else {
            _ = try await worker.take(.finishPairs(task.deviceID, token: plan.task))
            return
        }
        span.from = max(span.from, first)
        for pair in plan.pairs {
            guard let revision = try await compare(pair, span) else { continue }
            if case .outdated = try await worker.take(.comparePast(revision, token: plan.task)) { return }
        }
        _ = try await worker.take(.finishPairs(task.deviceID, token: plan.task))
    }

    /// - Returns: `nil` when the comparison agrees with what is stored.
    private func compare(_ pair: PairPlan.Pair, _ task: ProximityTask) async throws -> PairRevision? {
        let end = pair.evaluableFrom + ProximityWatch.overlap
        var revision: PairRevision?
        var start = task.from
        // The fixes of the device after the new ones: until the third of them, the new ones say where it was and how fast.
        var later: Set<Timestamp> = []
        while start < end {
            let next = min(start + Self.span, end)
            let input = try await store.proximityHistory(
                pair.first, pair.second, ruleKey: pair.rule.stateKey, from: start - ProximityState.memory, to: next)
            var (first, second) = (ProximityTrack(keepsAll: true), ProximityTrack(keepsAll: true))
            first.restore(input.first)
            second.restore(input.second)
            // What was found in the span before counts, and not what is stored of it.
            let known =
                input.transitions.filter { $0.detectedAt < task.from }
                + (revision?.found.filter { $0.detectedAt >= start - ProximityState.memory } ?? [])
            let base: ProximityPhase
            if let last = revision?.found.last(where: { $0.detectedAt < start - ProximityState.memory }) {
                base = last.phase
            } else if start - ProximityState.memory > task.from, let revision {
                base = revision.base
            } else {
                base = input.former?.phase ?? .separate(since: nil)
            }
            let begin =
                known.last { $0.detectedAt < start }?.phase ?? base
            var result =
                revision
                ?? PairRevision(rule: pair.rule, first: pair.first, second: pair.second, base: begin, end: next)
            let state = ProximityState.replayed(
                known, after: base, from: start, first, second, pair.rule, through: next.after(-1)
            ) { result.found.append($0) }
            result.held += input.transitions.filter { $0.detectedAt >= start }
            result.end = next
            let fixes = pair.first == task.deviceID ? input.first : input.second
            later.formUnion(fixes.map(\.timestamp).filter { $0 > task.through })
            let lastChanged = later.count < 3 ? Timestamp.distantFuture : later.sorted()[2] + ProximityState.memory
            // After that and the time that comparisons remember, only another phase changes anything.
            let isSame = (result.held.last?.phase ?? result.base) == state.phase
            if isSame, next > lastChanged,
                next < pair.evaluableFrom - Self.span
            {
                result.isConverged = true
                return result.isEmpty ? nil : result
            }
            revision = result
            start = next
        }
        return revision
    }
}

extension PairRevision {
    /// Whether it found what is stored.
    fileprivate var isEmpty: Bool {
        found.count == held.count && zip(found, held).allSatisfy { $0.isSame(as: $1) && $0.detectedAt == $1.detectedAt }
    }
}
