/// A Swift source as far as the lint understands it: its tokens, each with the types and functions around it.
struct SwiftSource: Sendable {
    /// What a pair of braces belongs to.
    enum Scope: Hashable, Sendable {
        /// A type or an extension, with the names behind its colon.
        case type(String, inherits: [String])
        /// A function by its name and the labels of its parameters, or `init`.
        case function(String, labels: [String], start: Int)
        /// A property with a body or an initial value in braces.
        case property(String)
        /// A closure behind a call such as `onAppear`, or any other block, by the word before it.
        case block(String)
    }

    /// A pair of braces: what it belongs to, where its head begins, and the pair around it.
    private struct Node: Sendable {
        var scope: Scope
        var start, brace: Int
        var outer: Int?
    }

    let path: String
    let tokens: [SwiftToken]
    /// The line from which on the source was not read, because it is nested too deeply.
    let endLine: Int?
    private let ignored: [Int: Set<String>]
    private var nodes: [Node] = []
    /// The innermost pair of braces around each token.
    private var innermost: [Int?] = []
    /// The other bracket of each bracket that has one.
    private var partners: [Int: Int] = [:]
    /// Where each word and sign is.
    private var positions: [String: [Int]] = [:]

    private static let openings = [")": "(", "]": "[", "}": "{"]

    init(path: String, text: String) {
        self.path = path
        (tokens, ignored, endLine) = SwiftTokenizer.tokens(of: text)
        var brackets: [Int] = []
        var open: [Int] = []
        innermost.reserveCapacity(tokens.count)
        for (index, token) in tokens.enumerated() {
            if token.kind != .text { positions[token.text, default: []].append(index) }
            if token.kind == .sign, let opening = Self.openings[token.text] {
                // A brace ends what is open within its pair; any other bracket ends its like alone.
                if opening == "{" {
                    while let last = brackets.last, tokens[last].text != opening { brackets.removeLast() }
                }
                if let bracket = brackets.last, tokens[bracket].text == opening {
                    brackets.removeLast()
                    partners[bracket] = index
                    partners[index] = bracket
                }
            }
            if token.kind == .sign, token.text == "}" { _ = open.popLast() }
            innermost.append(open.last)
            guard token.kind == .sign, "([{".contains(token.text) else { continue }
            brackets.append(index)
            guard token.text == "{" else { continue }
            let start = headStart(before: index)
            let scope = scope(at: index, from: start, within: open.last.map { nodes[$0].scope })
            nodes.append(Node(scope: scope, start: start, brace: index, outer: open.last))
            open.append(nodes.count - 1)
        }
    }

    /// The pairs of braces around a token, the innermost first.
    private func nodes(at index: Int) -> [Node] {
        var found: [Node] = []
        var next = innermost[index]
        while let current = next {
            found.append(nodes[current])
            next = nodes[current].outer
        }
        return found
    }

    /// The scopes around a token, the innermost first.
    func scopes(at index: Int) -> [Scope] { nodes(at: index).map(\.scope) }

    /// The scopes around a token, with the words before the brace of each, the innermost first.
    func heads(at index: Int) -> [(scope: Scope, head: Range<Int>)] {
        nodes(at: index).map { ($0.scope, $0.start..<$0.brace) }
    }

    /// What each pair of braces belongs to, with the words before it.
    var blocks: [(scope: Scope, head: Range<Int>)] { nodes.map { ($0.scope, $0.start..<$0.brace) } }

    /// Where a word or sign is.
    func positions(of text: String) -> [Int] { positions[text] ?? [] }

    /// The other bracket of a bracket; `nil` when it has none.
    func partner(of index: Int) -> Int? { partners[index] }

    /// Whether the source is about Core Location.
    var isRelevant: Bool {
        tokens.contains { $0.kind == .word && ($0.text.hasPrefix("CL") || $0.text.contains("CoreLocation")) }
            || tokens.contains { $0.kind == .word && $0.text.hasPrefix("UIApplicationDelegate") }
    }

    /// Whether a comment on the line of a token, or on the line above, ignores a rule.
    func ignores(_ rule: String, at index: Int) -> Bool {
        let line = tokens[index].line
        return [line, line - 1].contains { ignored[$0]?.contains(rule) ?? false }
    }

    /// Whether words and signs follow one another from an index.
    func matches(_ words: [String], at index: Int) -> Bool {
        guard index >= 0, index + words.count <= tokens.count else { return false }
        return zip(words, tokens[index...]).allSatisfy { $0 == $1.text && $1.kind != .text }
    }

    /// The indices of the tokens at which words follow one another.
    func indices(of words: String...) -> [Int] { indices(of: words) }

    /// The indices of the tokens at which words follow one another.
    func indices(of words: [String]) -> [Int] {
        guard let first = words.first else { return [] }
        return positions(of: first).filter { matches(words, at: $0) }
    }

    /// The innermost function around a token, also across closures; `nil` outside of functions.
    func function(at index: Int) -> (name: String, labels: [String], start: Int)? {
        for scope in scopes(at: index) {
            if case .function(let name, let labels, let start) = scope { return (name, labels, start) }
        }
        return nil
    }

    /// The innermost type around a token.
    func type(at index: Int) -> (name: String, inherits: [String])? {
        for scope in scopes(at: index) {
            if case .type(let name, let inherits) = scope { return (name, inherits) }
        }
        return nil
    }

    /// The first opening brace from an index on.
    func firstBrace(after index: Int) -> Int? {
        let braces = positions(of: "{")
        let next = braces.ordered { $0 >= index }
        return next < braces.count ? braces[next] : nil
    }

    /// The index of the bracket that closes the one at an index.
    func end(ofBracketAt start: Int) -> Int {
        partners[start].flatMap { $0 > start ? $0 : nil } ?? tokens.count
    }

    /// The indices of the argument with a label of the call whose bracket is at an index; `nil` when it has none.
    func argument(_ label: String, ofCallAt bracket: Int) -> Range<Int>? {
        let end = end(ofBracketAt: bracket)
        var index = bracket + 1
        while index < end {
            if tokens[index].text == label, matches([":"], at: index + 1) {
                var last = index + 2
                while last < end, tokens[last].text != "," {
                    last = ["(", "[", "{"].contains(tokens[last].text) ? self.end(ofBracketAt: last) + 1 : last + 1
                }
                return index + 2..<min(last, end)
            }
            index = ["(", "[", "{"].contains(tokens[index].text) ? self.end(ofBracketAt: index) + 1 : index + 1
        }
        return nil
    }

    /// The number that is the whole of a range of tokens; `nil` for anything else.
    func number(in range: Range<Int>) -> Double? {
        guard range.count == 1, let token = tokens[range].first, token.kind == .number else { return nil }
        return Double(token.text.filter { $0 != "_" })
    }

    /// Where the words before a brace begin that may belong to it.
    private func headStart(before brace: Int) -> Int {
        var start = brace
        while start > 0 {
            let token = tokens[start - 1]
            if token.kind == .sign {
                if ["{", "}", ";", "(", "["].contains(token.text) { break }
                if token.text == ")" || token.text == "]" {
                    guard let open = partners[start - 1] else { break }
                    start = open
                    continue
                }
            }
            start -= 1
        }
        return start
    }

    /// Finds what an opening brace belongs to, from the words before it.
    private func scope(at brace: Int, from start: Int, within outer: Scope?) -> Scope {
        let head = tokens[start..<brace]
        let condition = head.firstIndex { $0.text == "if" } ?? brace
        // The last declaration before the brace: earlier ones on the way have no body.
        for index in head.indices.reversed() where tokens[index].kind == .word {
            let name = index + 1 < brace ? tokens[index + 1].text : ""
            let isMember = index > 0 && tokens[index - 1].text == "."
            switch tokens[index].text {
            case "class", "struct", "actor", "enum", "extension", "protocol":
                guard index + 1 < brace, tokens[index + 1].kind == .word, !isMember,
                    !["func", "var", "let", "subscript"].contains(name)
                else { continue }
                let inherited = head[index...].drop { $0.text != ":" }.dropFirst()
                return .type(name, inherits: inherited.filter { $0.kind == .word }.map(\.text))
            case "func" where !isMember: return .function(name, labels: Self.labels(head[index...]), start: index)
            case "init" where !isMember && Self.isType(outer):
                return .function("init", labels: Self.labels(head[index...]), start: index)
            case "var", "let":
                // A statement such as `if let a = b {` declares no property.
                if Self.isType(outer) || outer == nil, index <= condition {
                    return .property(name)
                }
            default: break
            }
        }
        return .block(call(before: brace))
    }

    private static func isType(_ scope: Scope?) -> Bool {
        if case .type = scope { return true }
        return false
    }

    /// The labels of the parameters of a declaration.
    static func labels(_ head: ArraySlice<SwiftToken>) -> [String] {
        guard let open = head.firstIndex(where: { $0.text == "(" }) else { return [] }
        var labels: [String] = []
        var depth = 0
        var isStart = false
        for token in head[open...] {
            if isStart, token.kind == .word || token.text == "_" { labels.append(token.text) }
            isStart = false
            switch token.text {
            case "(", "[", "<": depth += 1
            case ")", "]", ">": depth -= 1
            default: break
            }
            if depth == 0 { break }
            isStart = depth == 1 && (token.text == "(" || token.text == ",")
        }
        return labels
    }

    /// The name of the call or statement before a brace: `onAppear` of `.onAppear {` and of `.task(id: x) {`.
    private func call(before brace: Int) -> String {
        var index = brace - 1
        guard index >= 0 else { return "" }
        if tokens[index].kind == .sign, tokens[index].text == ")" { index = (partners[index] ?? 0) - 1 }
        return index >= 0 && tokens[index].kind == .word ? tokens[index].text : ""
    }
}

extension [Int] {
    /// The first place of an ordered array from which on a condition holds.
    func ordered(from holds: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if holds(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
