import FencepostModel

/// A list of patterns, put so that asking is quick.
struct TextPatterns: Sendable {
    /// Whether there was no pattern at all, which stands for everything.
    let isEmpty: Bool
    private let fitsEverything: Bool
    private let literals: Set<String>
    private let patterns: [GlobPattern]

    init(_ patterns: [GlobPattern]) {
        isEmpty = patterns.isEmpty
        fitsEverything = patterns.isEmpty || patterns.contains { $0.rawValue == "*" }
        let isLiteral = { (pattern: GlobPattern) in !pattern.rawValue.contains { $0 == "*" || $0 == "?" } }
        literals = Set(patterns.filter(isLiteral).map(\.rawValue))
        self.patterns = patterns.filter { !isLiteral($0) }
    }

    /// - Parameter text: `nil` where there is nothing to match, which only fits a list that fits everything.
    func match(_ text: String?) -> Bool {
        if fitsEverything { return true }
        guard let text else { return false }
        return literals.contains(text) || patterns.contains { $0.matches(text) }
    }
}
