import FencepostEngine
import FencepostHTTP
import FencepostModel
import FencepostMonitor
import FencepostService

/// Routes of proximity rules (rules K11, A40).
extension API {
    var proximityRuleRoutes: [Route] {
        NamedRuleRoutes<ProximityRule>(
            api: self,
            texts: .init(
                path: "/v1/proximity-rules", type: "ProximityRule", article: "a proximity rule",
                noun: "proximity rule", code: "proximity_rule", tag: "Proximity", idPrefix: "prx_",
                whenAdded: "applies from the next location of each pair on", whenReplaced: "Its pairs begin again",
                whenRemoved: "Its pairs end without an event",
                example: #"{"distance":100,"devices":["kids/*"],"others":["dog"],"unaccompanied":true}"#,
                change: #"{"distance":80}"#),
            configured: { monitoring.configuredProximity() },
            check: { rule, former in try await check(rule, replacing: former) }
        ).all
    }

    private func check(_ rule: ProximityRule, replacing former: ProximityRule?) async throws {
        try checkNames([
            ("devices", rule.devices?.map(\.rawValue) ?? []), ("groups", rule.groups ?? []),
            ("others", rule.others?.map(\.rawValue) ?? []), ("otherGroups", rule.otherGroups ?? []),
        ])
        try await checkGroups(
            [("groups", rule.groups ?? []), ("otherGroups", rule.otherGroups ?? [])],
            known: (former?.groups ?? []) + (former?.otherGroups ?? []))
        if isDivided(rule) {
            throw refusal(
                "/others",
                "These devices are kept by different partitions of the cluster, which compare none with each other.")
        }
        try await checkPairs(rule)
    }

    /// Whether a rule names single devices only, of which no partition has two that it watches.
    private func isDivided(_ rule: ProximityRule) -> Bool {
        guard let partitioning = partition?.partitioning, rule.groups == nil, rule.otherGroups == nil,
            let names = rule.devices?.map(\.rawValue), !names.contains(where: { $0.contains("*") || $0.contains("?") })
        else { return false }
        let others = rule.others?.map(\.rawValue) ?? names
        guard !others.contains(where: { $0.contains("*") || $0.contains("?") }) else { return false }
        return !names.contains { name in
            others.contains {
                $0 != name && partitioning.part(of: DeviceID($0)) == partitioning.part(of: DeviceID(name))
            }
        }
    }

    /// Refuses a rule with which the rules would watch more pairs of known devices than they may.
    private func checkPairs(_ rule: ProximityRule) async throws {
        let groups = Dictionary(
            try await store.groups().map { ($0.tag, $0.devices) }, uniquingKeysWith: { first, _ in first })
        let stored = try await store.rules(ProximityRule.self)
        let others = stored.added(to: monitoring.configuredProximity()).filter { $0.id != rule.id }
        var watch = ProximityWatch((others + [rule]).map { $0.resolved(in: groups) })
        for device in monitoring.devices(after: nil, in: nil, limit: .max) { watch.add(device.deviceID) }
        guard watch.pairCount > ProximityRule.maximumPairs else { return }
        throw Problem.invalid(
            "too_many_pairs",
            "With this rule \(watch.pairCount) pairs of devices would be watched, and \(ProximityRule.maximumPairs) may be: "
                + "name fewer devices, or watch them against fewer others.")
    }
}
