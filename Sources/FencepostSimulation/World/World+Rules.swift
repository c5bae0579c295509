import FencepostEngine
import FencepostModel
import FencepostMonitor
import FencepostService
import FencepostStore
import Foundation
import Synchronization

/// Rules about devices near each other, and plans, as the API makes them.
extension World {
    /// The rules that a world of history has from its beginning on.
    func setUpPairs() async {
        for seed in 0..<2 as Range<UInt64> { await changePair(Self.pairRule(seed &* 2 &+ plan.seed), "pair-\(seed)") }
    }

    func editRules(_ seed: UInt64) async {
        var random = SplitMix64(seed: seed)
        let id = Int.random(in: 0..<2, using: &random)
        let isRemoval = Int.random(in: 0..<4, using: &random) == 0
        if Int.random(in: 0..<3, using: &random) > 0 {
            await changePair(isRemoval ? nil : Self.pairRule(random.next()), "pair-\(id)")
        } else {
            await changePlan(isRemoval ? nil : random.next(), "plan-\(id)")
        }
    }

    private static func pairRule(_ seed: UInt64) -> ProximityRule {
        var random = SplitMix64(seed: seed)
        var rule = ProximityRule(id: "", distance: .random(in: 80...500, using: &random))
        if Bool.random(using: &random) { rule.dwell = .seconds(Int.random(in: 60...900, using: &random)) }
        rule.reportsUnaccompanied = Bool.random(using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: (rule.devices, rule.others) = ([GlobPattern("device-[01]")], [GlobPattern("device-[23]")])
        case 1: rule.devices = [GlobPattern("device-[012]")]
        default: break
        }
        return rule
    }

    /// Adds, replaces or removes a rule until it is done, in the order of the API's route.
    private func changePair(_ rule: ProximityRule?, _ id: String) async {
        var rule = rule
        rule?.id = id
        let text = rule.map { RuleFile.text(of: $0) }
        await repeatedly { machine in
            let former = try await machine.store.rules(ProximityRule.self).first { $0.id == id }?.text
            guard former != nil || text != nil else { return }
            if former != text {
                _ = try await machine.store.changeRule(id, of: .proximity, from: former, to: text, limit: 100)
            }
            try await machine.worker.alertRulesDidChange()
        }
    }

    /// Adds, replaces or ends a plan until it is done.
    private func changePlan(_ seed: UInt64?, _ id: String) async {
        await repeatedly { machine in
            let former = try await machine.store.plans().first { $0.id == id }
            guard former?.current != nil || seed != nil else { return }
            let now = machine.clock.now()
            let stored = (former ?? StoredPlan(id: id, versions: [])).replaced(
                by: seed.map { Self.plan($0, id, at: now) }, at: now)
            _ = try await machine.store.changePlan(stored, from: former?.text, limit: StoredPlan.mostPlans)
            try await machine.worker.alertRulesDidChange()
        }
    }

    private static func plan(_ seed: UInt64, _ id: String, at now: Timestamp) -> FencepostModel.Plan {
        var random = SplitMix64(seed: seed)
        let stops = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            let start = Int.random(in: 0...1300, using: &random)
            return FencepostModel.Plan.Stop(
                region: RegionID("region-\(Int.random(in: 0...7, using: &random))"), start: start,
                end: start + Int.random(in: 5...400, using: &random),
                stay: .seconds([0, 0, 60].randomElement(using: &random) ?? 0))
        }
        var plan = FencepostModel.Plan(id: id, stops, PlanCalendar(), timeZone: .gmt, since: now)
        plan.isOrdered = Bool.random(using: &random)
        return plan
    }

    private func repeatedly(_ body: (Machine) async throws -> Void) async {
        for _ in 0..<20 {
            guard let machine, !Task.isCancelled else { return }
            do { return try await body(machine) } catch { try? await time.sleep(for: .seconds(3)) }
        }
    }

    // MARK: Worlds of history

    /// What holds of each pair must be what all stored fixes of both devices give in the order of time.
    func comparePairs(_ held: [NewEvent], _ machine: Machine) async throws {
        let rules = try await machine.store.rules(ProximityRule.self).compactMap(\.rule)
        let (erased, erasures) = state.withLock { ($0.erased, $0.erasures) }
        let waiting = poisoned.withLock { $0 }
        var watch = ProximityWatch(rules)
        var devices: Set<DeviceID> = []
        for number in 0..<Plan.deviceCount {
            let device = DeviceID("device-\(number)")
            guard erased[device] == nil || erasures.contains(device), device != waiting else { continue }
            devices.insert(device)
            let fixes = try await machine.store.locations(
                of: device, from: nil, to: nil, after: nil, limit: .max, includesAhead: false)
            for fix in fixes { _ = watch.take(fix.location) }
        }
        var wanted: [String: Int] = [:]
        var texts: [String: String] = [:]
        for change in watch.evaluate() {
            let (first, second) = (watch.id(change.pair.first), watch.id(change.pair.second))
            for transition in change.added {
                let event = transition.event(of: watch.rules[change.pair.rule], first, second)
                wanted[event.id, default: 0] += 1
                texts[event.id] =
                    "\(event.occurrence.type.rawValue) of \(first) and \(second) at \(event.timestamp.rfc3339), detected at "
                    + event.detectedAt.rfc3339
            }
        }
        for event in held where event.type.hasPrefix("proximity.") && event.origin != .retraction {
            guard case .proximity(let report) = event.message?.event?.occurrence, let device = event.deviceID,
                devices.contains(device), devices.contains(report.other)
            else { continue }
            guard let count = wanted.removeValue(forKey: event.cause ?? event.id) else {
                throw Violation.unexpected(
                    "\(event.id) holds, but the locations of both devices give no such event: \(event.body)")
            }
            if count != 1 { throw Violation.doubled("\(event.id) happened \(count) times") }
        }
        if let missing = wanted.keys.sorted().first {
            throw Violation.lost(
                "event \(missing), \(texts[missing] ?? ""), follows from its locations and does not hold")
        }
    }
}
