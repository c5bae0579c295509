import FencepostCluster

/// A dialogue with a node's machine as text: signals begin with an exclamation mark, other lines are results of the task that was
/// asked for, and indented lines are the answers.
///
/// An answer has what happens at once, the next task, and behind a stroke what the node is.
struct NodeDialogue {
    /// A line that is no input.
    struct Unreadable: Error {
        let line: String
    }

    private(set) var machine = NodeMachine()
    /// The names of the states that followed each other.
    private(set) var transitions: Set<NodeTransition> = []

    /// The dialogue with the machine's answers in place of the indented lines.
    ///
    /// - Parameter text: the dialogue.
    /// - Returns: it as it would be.
    /// - Throws: an `Unreadable`.
    mutating func answered(_ text: String) throws -> String {
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            guard !line.hasPrefix("    ") else { continue }
            lines.append(line)
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            let former = machine.state
            lines.append("    " + (try answer(line)))
            if !line.hasPrefix("begin") { transitions.insert(NodeTransition(former, machine.state)) }
        }
        return lines.joined(separator: "\n")
    }

    private mutating func answer(_ line: String) throws -> String {
        if line.hasPrefix("begin") {
            machine = NodeMachine(restsWhenIdle: line.contains("resting"))
            let task = machine.begin(hasFile: line.contains("file"), isHolder: line.contains("holder"))
            return "\(Self.text(task)) | \(report)"
        }
        if line.hasPrefix("! ") {
            guard let signal = Self.signal(String(line.dropFirst(2))) else { throw Unreadable(line: line) }
            let effects = machine.signal(signal).map(Self.text)
            return "\(effects.isEmpty ? "nothing" : effects.joined(separator: ", ")) | \(report)"
        }
        guard let result = Self.result(line) else { throw Unreadable(line: line) }
        let answer = machine.step(result)
        return "\((answer.effects.map(Self.text) + [Self.text(answer.task)]).joined(separator: ", ")) | \(report)"
    }

    private var report: String {
        let report = machine.report
        return report.role.rawValue + (machine.canLead ? ", may lead" : "")
            + (report.problem.map { ": \($0)" } ?? "")
    }

    // MARK: - Inputs

    private static func signal(_ text: String) -> NodeMachine.Signal? {
        let words = text.split(separator: " ").map(String.init)
        switch (words.first, words.last) {
        case ("stop", _): return .stop
        case ("holder", _): return .holder(true)
        case ("no", "holder"): return .holder(false)
        case ("release", _): return .release
        case ("lease", "lost"): return .lease(.follower)
        case ("lease", let epoch?): return UInt64(epoch).map { .lease(.leader(epoch: $0)) }
        case ("hand", let node?): return .handOver(to: node)
        case ("append", _): return failure(Array(words.dropFirst(2))).map { .appendFailed($0) }
        default: return nil
        }
    }

    private static let plain: [String: NodeMachine.Result] = [
        "awake": .awake, "opened": .opened, "fetched": .fetched, "not fetched": .notFetched, "took over": .tookOver,
        "served": .served, "has room": .hasRoom, "closed": .closed, "removed": .removed, "lacks the start": .lacksStart,
        "is innocent": .isInnocent, "looked": .looked(mayLead: false), "looked, may lead": .looked(mayLead: true),
        "trimmed": .trimmed(true), "trimmed nothing": .trimmed(false), "disk full": .diskFull,
    ]

    private static func result(_ text: String) -> NodeMachine.Result? {
        if let result = plain[text] { return result }
        let words = text.split(separator: " ").map(String.init)
        switch words.first {
        case "applied": return Int(words[1]).map { .applied(count: $0, isEnd: words.last != "more") }
        case "failed": return failure(Array(words.dropFirst())).map { .failed($0) }
        case "refused:": return .refused(String(text.dropFirst("refused: ".count)))
        // set aside 9 behind 8, faulty
        case "set":
            guard let position = UInt64(words[2]), let behind = UInt64(words[4].filter(\.isNumber)) else { return nil }
            return .setAside(
                NodeMachine.SetAside(position: position, isFaulty: words.last == "faulty", behind: behind))
        default: return nil
        }
    }

    private static func failure(_ words: [String]) -> LogFailure? {
        let number = words.last.flatMap { UInt64($0) } ?? 0
        switch words.first {
        case "deposed": return .deposed(epoch: number)
        case "diverged": return .diverged
        case "behind": return .behind
        case "forgotten": return .forgotten(end: number)
        case "hole": return .hole(after: number)
        case "full": return .full
        case "tooLarge": return .tooLarge
        case "unavailable": return .unavailable
        case "newerFormat": return .newerFormat(sequence: number)
        default: return nil
        }
    }

    // MARK: - Answers

    private static func text(_ effect: NodeMachine.Effect) -> String {
        switch effect {
        case .wake: "wake"
        case .stopService: "stop the service"
        case .handOver(let node): "hand over to \(node ?? "any")"
        case .lose: "lose the lead"
        case .trimAndLose: "trim the log and lose the lead"
        }
    }

    private static func text(_ task: NodeMachine.Task) -> String {
        switch task {
        case .wait: "wait"
        case .pause(let time): "pause \(time)"
        case .open(.first): "open"
        case .open(.again): "open again"
        case .open(.forgiving(let position)): "open again, forgiving record \(position)"
        case .fetch(let sequence, let deadly):
            "fetch a copy" + (sequence.map { " behind \($0)" } ?? "")
                + (deadly.map { " that has passed \($0.position)" } ?? "")
        case .apply: "apply"
        case .look: "look"
        case .takeOver(let epoch): "take over \(epoch)"
        case .trim: "trim the log"
        case .lead(let epoch): "lead \(epoch)"
        case .checkDisk: "check the disk"
        case .close: "close"
        case .remove: "remove"
        case .end: "end"
        }
    }
}
