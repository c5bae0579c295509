import FencepostJSON
import FencepostModel
import FencepostSimulator

/// The scenario file: the state at the start, and one step to a line.
extension ScenarioComposer {
    func text(_ contents: LogContents, date: String?) -> String {
        var lines = ["{\"name\": \(json(.text(name(date)))),"]
        lines.append(" \"recorded\": \(json(.members(origin(contents, date)))),")
        lines.append(" \"given\": \(json(.members(given))),")
        lines.append(" \"steps\": [")
        lines.append(steps.map { "  " + json($0.json) }.joined(separator: ",\n"))
        let kept = notes + contents.keptLines.map { "not understood: \($0)" }
        if kept.isEmpty {
            lines.append(" ]}")
        } else {
            lines.append(" ],")
            lines.append(" \"notes\": [")
            lines.append(kept.map { "  " + json(.text($0)) }.joined(separator: ",\n"))
            lines.append(" ]}")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func json(_ value: AnswerValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func name(_ date: String?) -> String {
        if !options.name.isEmpty { return options.name }
        let parts = [options.device ?? first?.device, options.system ?? first?.system, date].compactMap { $0 }
        return parts.isEmpty ? "Recorded" : "Recorded on \(parts.joined(separator: ", "))"
    }

    private func origin(_ contents: LogContents, _ date: String?) -> [AnswerValue.Member] {
        var members = [AnswerValue.Member("kind", .text((options.kind ?? first?.kind ?? .device).rawValue))]
        for (name, value) in [
            ("device", options.device ?? first?.device), ("system", options.system ?? first?.system), ("date", date),
        ] {
            if let value { members.append(AnswerValue.Member(name, .text(value))) }
        }
        members.append(AnswerValue.Member("logs", .list(contents.files.sorted().map { .text($0) })))
        return members
    }

    private var given: [AnswerValue.Member] {
        var members: [AnswerValue.Member] = []
        func add(_ name: String, _ text: String?) {
            if let text { members.append(AnswerValue.Member(name, .text(text))) }
        }
        add("platform", first?.platform?.rawValue)
        // "18.4 (22E240)" has more than the version.
        let version = (options.system ?? first?.system)?.split(separator: " ").last { OSVersion(String($0)) != nil }
        add("osVersion", version.map(String.init))
        add("grant", Self.grant(startStatus))
        if first?.accuracy == .reducedAccuracy, startStatus != .notDetermined { add("accuracy", "reduced") }
        if startsTerminated {
            add("lifecycle", "terminated")
            add("terminatedBy", (initialCause ?? .system).rawValue)
        } else if !startsForeground, process != .unknown {
            add("lifecycle", "suspended")
        }
        if let entries = first?.infoPlist, !entries.isEmpty {
            members.append(AnswerValue.Member("infoPlist", .list(entries.map { .text($0) })))
        }
        let services = (first?.regions ?? []) + assumed
        if !services.isEmpty {
            members.append(AnswerValue.Member("services", .list(services.map { .members($0.recordedMembers) })))
        }
        return members
    }

    /// The grant that the status shows. Always may be provisional; the API does not distinguish the two.
    private static func grant(_ status: ReportedStatus?) -> String? {
        switch status {
        case .notDetermined: Grant.notDetermined.rawValue
        case .restricted: Grant.restricted.rawValue
        case .denied: Grant.denied.rawValue
        case .authorizedWhenInUse: Grant.whenInUse.rawValue
        case .authorizedAlways: Grant.always.rawValue
        case .unknownFutureValue, nil: nil
        }
    }
}
