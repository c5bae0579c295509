extension Advice {
    /// The plan for people: the wish, the items part by part with their rules, and how many promises hold.
    public var text: String {
        let goals = wish.goals.map(\.rawValue).joined(separator: ", ")
        let versions = wish.systems.map(\.description).joined(separator: ", ")
        var text = "Wanted: \(goals)\(wish.inBackground ? ", also in the background" : "")"
        text += "\(wish.restarts ? ", again after a termination" : ""), on iOS \(versions)\n"
        for part in Part.allCases {
            let items = items.filter { $0.part == part }
            guard !items.isEmpty else { continue }
            text += "\n\(Self.title(of: part))\n"
            for item in items {
                let mark = item.isDone.map { $0 ? "✓" : "✗" } ?? "·"
                let rules = item.rules.map(\.rawValue).joined(separator: ", ")
                text += "  \(mark) \(item.text) [\(rules)]\n"
            }
        }
        let kept = promises.count(where: \.isKept)
        return text + "\n\(kept) of \(promises.count) cases deliver; --scenarios prints them all.\n"
    }

    private static func title(of part: Advice.Part) -> String {
        switch part {
        case .grants: "Grants"
        case .services: "Services"
        case .keys: "Keys"
        case .sessions: "Sessions"
        case .launchCode: "Launch code"
        case .limits: "Limits"
        case .willNotWork: "What will not work, or may not"
        }
    }
}
