/// What a device did in a step of a recorded scenario, for a comparison with the rules.
///
/// Only the members that are not `nil` are compared.
public struct SeenOnDevice: Hashable, Sendable {
    /// Whether the app received the event.
    public var delivered: Bool?
    /// Whether the system launched the app for the event.
    public var relaunch: Bool?
    /// The status that the API returned after the step.
    public var status: ReportedStatus?
    /// The accuracy that the API returned after the step.
    public var accuracy: AccuracyAuthorization?
    /// Whether the app was in use after the step.
    public var inUse: Bool?
    /// Whether the system showed a prompt.
    public var prompt: Bool?

    /// Makes a comparison of nothing.
    public init() {}

    /// Whether nothing is compared.
    public var isEmpty: Bool { self == SeenOnDevice() }
}

/// The device that a recorded scenario comes from.
public struct RecordingOrigin: Hashable, Sendable {
    /// What produced the log.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A real device, and Apple's simulator.
        case device, simulator
        /// Fencepost's simulated device: an example, not evidence.
        case made
    }

    /// What produced the log.
    public var kind: Kind
    /// The device's model, such as `iPhone14,2`; `nil` when the log does not name it.
    public var device: String?
    /// The version of the system, as the log names it.
    public var system: String?
    /// The day of the first entry, in UTC: `2026-09-14`.
    public var date: String?
    /// The log's files, by name.
    public var logs: [String] = []

    /// Makes the origin of a log.
    public init(_ kind: Kind) { self.kind = kind }

    /// The device, the system and the date in one line, for people.
    public var summary: String {
        let remark =
            switch kind {
            case .device: ""
            case .simulator: " (Apple's simulator)"
            case .made: " (made with a simulated device, no evidence)"
            }
        return [device ?? "a device", system, date].compactMap { $0 }.joined(separator: ", ") + remark
    }
}

/// A difference between what a device did and what the rules give, in one step of a recorded scenario.
public struct Disagreement: Hashable, Sendable {
    /// The index of the step, from 0.
    public var step: Int
    /// The line of the log that the step comes from, such as `app.jsonl:7`; `nil` for a step that was added by hand.
    public var line: String?
    /// The step in words: its verb, service, kind and identifier.
    public var what: String
    /// The member of `SeenOnDevice` that differs.
    public var member: String
    /// The value on the device, and the value that the rules give.
    public var onDevice, byRules: String
    /// The rules that apply to the step; the deciding rule first.
    public var rules: [RuleID]
    /// The reason of the rules' answer, for people; `nil` where a step gives none.
    public var because: String?
}

/// Compares each step of a recorded scenario with what the rules give.
struct DeviceComparison {
    private(set) var disagreements: [Disagreement] = []
    /// Events that the device delivered or did not, by the index of their step. They are compared at the end, because a
    /// pending event may be settled by a later step.
    private var pending: [(step: Step, index: Int, seen: SeenOnDevice)] = []

    /// Compares the state after a step. Events are compared by `finish(_:)`.
    mutating func compare(_ step: Step, at index: Int, promptShown: Bool, _ device: DeviceState, _ report: StepReport?)
    {
        guard let seen = step.seen else { return }
        if seen.delivered != nil || seen.relaunch != nil { pending.append((step, index, seen)) }
        let rules = report?.rules ?? []
        func check<Value: Equatable>(_ member: String, _ onDevice: Value?, _ byRules: Value, _ text: (Value) -> String)
        {
            guard let onDevice, onDevice != byRules else { return }
            disagreements.append(
                Disagreement(
                    step: index, line: step.line, what: Self.words(of: step), member: member, onDevice: text(onDevice),
                    byRules: text(byRules), rules: rules, because: report?.notes.first))
        }
        check("status", seen.status, device.reportedStatus, \.rawValue)
        check("accuracy", seen.accuracy, device.accuracyAuthorization, \.rawValue)
        check("inUse", seen.inUse, device.isInUse) { "\($0)" }
        check("prompt", seen.prompt, promptShown) { "\($0)" }
    }

    /// Compares the events.
    mutating func finish(_ outcome: Outcome) {
        for (step, index, seen) in pending {
            let delivery = outcome.deliveries.first { $0.step == index }
            let isDelivered = delivery?.outcome == .delivered || delivery?.settled?.outcome == .delivered
            let isLaunched = delivery?.relaunch == true || delivery?.settled?.relaunch == true
            for (member, onDevice, byRules) in [
                ("delivered", seen.delivered, isDelivered), ("relaunch", seen.relaunch, isLaunched),
            ] {
                guard let onDevice, onDevice != byRules else { continue }
                let deciding = delivery?.decidingRule
                let rules = [deciding].compactMap { $0 } + (delivery?.rules ?? []).filter { $0 != deciding }
                disagreements.append(
                    Disagreement(
                        step: index, line: step.line, what: Self.words(of: step), member: member,
                        onDevice: "\(onDevice)",
                        byRules: "\(byRules)", rules: rules, because: delivery?.because))
            }
        }
        disagreements.sort { $0.step < $1.step }
    }

    private static func words(of step: Step) -> String {
        guard case .event(let event) = step.verb else { return step.verb.name }
        return [event.service.rawValue, event.kind.rawValue, event.identifier].compactMap { $0 }.joined(separator: " ")
    }
}
