import FencepostModel
import FencepostMonitor
import FencepostService

/// The pairs of devices as a service follows them that never stops. What a start reads of the store, it has.
struct PairOracle {
    /// What a fix has brought about for a pair.
    struct Found {
        var event: Event
        var other: DeviceID
        /// Whether it is a retraction of the event.
        var isRetraction: Bool
        var isPast: Bool
    }

    private struct Key: Hashable {
        var rule: String
        var first, second: DeviceID
    }

    private var watch: ProximityWatch?
    private var fixes: [DeviceID: [Location]] = [:]
    /// What holds, by the id of its event.
    private var held: [String: (key: Key, transition: ProximityTransition)] = [:]

    /// Begins with other rules; pairs of rules that stay go on.
    mutating func replace(_ rules: [ProximityRule], devices: [DeviceID]) {
        guard !rules.isEmpty else {
            watch = nil
            return
        }
        var next = ProximityWatch(rules)
        for device in devices where next.add(device) {
            next.restore(fixes[device] ?? [], of: device)
        }
        for (key, items) in Dictionary(grouping: held.values, by: \.key) {
            next.restore(
                items.map(\.transition), after: .separate(since: nil), of: key.first, key.second, ruleKey: key.rule)
        }
        next.settle()
        watch = next
    }

    mutating func take(_ location: Location) {
        fixes[location.deviceID, default: []].append(location)
        _ = watch?.take(location)
    }

    mutating func forget(_ device: DeviceID) {
        watch?.forget(device)
        fixes[device] = nil
        held = held.filter { $0.value.key.first != device && $0.value.key.second != device }
    }

    /// What follows from the fixes of a commit, in the order in which it is written.
    mutating func evaluate(_ each: (Found) -> Void) {
        guard let changes = watch?.evaluate(), let watch else { return }
        for change in changes {
            let rule = watch.rules[change.pair.rule]
            let (first, second) = (watch.id(change.pair.first), watch.id(change.pair.second))
            let key = Key(rule: rule.stateKey, first: first, second: second)
            func found(_ transition: ProximityTransition, isRetraction: Bool) -> Found {
                let event = transition.event(of: rule, first, second)
                return Found(
                    event: event, other: event.deviceID == first ? second : first, isRetraction: isRetraction,
                    isPast: change.isPast)
            }
            for transition in change.withdrawn {
                let item = found(transition, isRetraction: true)
                if held.removeValue(forKey: item.event.id) != nil { each(item) }
            }
            for transition in change.moved { held[found(transition, isRetraction: false).event.id] = (key, transition) }
            for transition in change.added {
                let item = found(transition, isRetraction: false)
                // A changed rule can find the same again.
                if held.updateValue((key, transition), forKey: item.event.id) == nil { each(item) }
            }
        }
    }
}
