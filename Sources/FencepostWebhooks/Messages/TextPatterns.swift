import FencepostModel

/// A list of glob patterns, with literal ones in a set for fast matching.
struct TextPatterns: Sendable {
    /// Whether the list is empty, which matches everything.
    let isEmpty: Bool
    private let matchesEverything: Bool
    private let literals: Set<String>
    private let patterns: [GlobPattern]

    init(_ patterns: [GlobPattern]) {
        isEmpty = patterns.isEmpty
        matchesEverything = patterns.isEmpty || patterns.contains { $0.rawValue == "*" }
        let isLiteral = { (pattern: GlobPattern) in !pattern.rawValue.contains { $0 == "*" || $0 == "?" } }
        literals = Set(patterns.filter(isLiteral).map(\.rawValue))
        self.patterns = patterns.filter { !isLiteral($0) }
    }

    /// Whether a pattern matches a text; `nil` matches only a list that matches everything.
    func match(_ text: String?) -> Bool {
        if matchesEverything { return true }
        guard let text else { return false }
        return literals.contains(text) || patterns.contains { $0.matches(text) }
    }
}
