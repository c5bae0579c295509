import FencepostModel
import FencepostSimulator

/// A step of a recorded scenario, as members of JSON.
struct RecordedStep {
    /// The verb with its keys.
    var members: [AnswerValue.Member]
    /// The time of the step.
    var at: Timestamp
    /// The line of the log; `nil` for a step that follows from another one.
    var line: String?
    /// What the device did.
    var seen = SeenOnDevice()

    init(_ verb: String, _ members: [AnswerValue.Member] = [], at: Timestamp, line: String?) {
        self.members = [AnswerValue.Member("do", .text(verb))] + members
        (self.at, self.line) = (at, line)
    }

    /// The name of the verb.
    var verb: String { text("do") ?? "" }

    /// The text of a member.
    func text(_ name: String) -> String? {
        for member in members where member.name == name {
            if case .text(let text) = member.value { return text }
        }
        return nil
    }

    /// Replaces the value of a member, or adds it.
    mutating func set(_ name: String, _ text: String) {
        members.removeAll { $0.name == name }
        members.append(AnswerValue.Member(name, .text(text)))
    }

    /// The step as it is in a scenario file.
    var json: AnswerValue {
        var all = members
        all.append(AnswerValue.Member("at", .text(at.rfc3339)))
        if let line { all.append(AnswerValue.Member("line", .text(line))) }
        if !seen.isEmpty { all.append(AnswerValue.Member("seen", .members(seen.members))) }
        return .members(all)
    }
}

extension SeenOnDevice {
    /// The members that are not `nil`.
    var members: [AnswerValue.Member] {
        var members: [AnswerValue.Member] = []
        func add(_ name: String, _ value: Bool?) {
            if let value { members.append(AnswerValue.Member(name, .bool(value))) }
        }
        add("delivered", delivered)
        add("relaunch", relaunch)
        if let status { members.append(AnswerValue.Member("status", .text(status.rawValue))) }
        if let accuracy { members.append(AnswerValue.Member("accuracy", .text(accuracy.rawValue))) }
        add("inUse", inUse)
        add("prompt", prompt)
        return members
    }
}

extension ServiceObject {
    /// The members of a service in a scenario file.
    var recordedMembers: [AnswerValue.Member] {
        var members = [AnswerValue.Member("service", .text(service.rawValue))]
        if let identifier { members.append(AnswerValue.Member("identifier", .text(identifier))) }
        if let center { members.append(AnswerValue.Member("center", .list(center.map { .number($0) }))) }
        if let radius { members.append(AnswerValue.Member("radius", .number(radius))) }
        if let monitor { members.append(AnswerValue.Member("monitor", .text(monitor))) }
        for (name, value) in [
            ("notifyOnEntry", notifyOnEntry), ("notifyOnExit", notifyOnExit),
            ("allowsBackgroundLocationUpdates", allowsBackgroundLocationUpdates),
        ] {
            if let value { members.append(AnswerValue.Member(name, .bool(value))) }
        }
        return members
    }
}
