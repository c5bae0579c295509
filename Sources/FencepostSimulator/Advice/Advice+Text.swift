extension Advice {
    /// The plan for people: the wish, the items part by part with their rules, and how many promises hold.
    public var text: String {
        let goals = wish.goals.map(\.rawValue).joined(separator: ", ")
        let versions = wish.systems.map(\.description).joined(separator: ", ")
        var text = "Wanted: \(goals)\(wish.inBackground ? ", also in the background" : "")"
        text += "\(wish.restarts ? ", again after a termination" : "")"
        text += wish.constraints.sorted().map { ", \($0.words)" }.joined()
        text += wish.activities.map { ", not while \($0)" }.joined() + ", on iOS \(versions)\n"
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

    /// The plans of several wishes, one after the other, each with its number.
    public static func text(of plans: [Advice]) -> String {
        guard plans.count > 1 else { return plans.map(\.text).joined() }
        return plans.enumerated().map { "Plan \($0 + 1) of \(plans.count)\n\($1.text)" }.joined(separator: "\n")
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

extension AppWish.Constraint {
    /// The constraint in the words of a plan.
    var words: String {
        switch self {
        case .noAlways: "without Always"
        case .noBackground: "only on screen"
        case .noPrecise: "without precise locations"
        case .noRequest: "without asking"
        }
    }
}
