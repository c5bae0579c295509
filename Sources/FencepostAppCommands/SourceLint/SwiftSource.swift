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

    let path: String
    let tokens: [SwiftToken]
    /// The scopes around each token, the outermost first.
    let scopes: [[Scope]]
    private let ignored: [Int: Set<String>]

    init(path: String, text: String) {
        self.path = path
        let (tokens, ignored) = SwiftTokenizer.tokens(of: text)
        (self.tokens, self.ignored) = (tokens, ignored)
        var scopes: [[Scope]] = []
        var open: [Scope] = []
        for index in tokens.indices {
            if tokens[index].text == "}", tokens[index].kind == .sign, !open.isEmpty { open.removeLast() }
            scopes.append(open)
            if tokens[index].text == "{", tokens[index].kind == .sign {
                open.append(Self.scope(at: index, in: tokens, within: open.last))
            }
        }
        self.scopes = scopes
    }

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
    func indices(of words: String...) -> [Int] {
        tokens.indices.filter { matches(words, at: $0) }
    }

    /// The innermost function around a token, also across closures; `nil` outside of functions.
    func function(at index: Int) -> (name: String, labels: [String], start: Int)? {
        for scope in scopes[index].reversed() {
            if case .function(let name, let labels, let start) = scope { return (name, labels, start) }
        }
        return nil
    }

    /// The innermost type around a token.
    func type(at index: Int) -> (name: String, inherits: [String])? {
        for scope in scopes[index].reversed() {
            if case .type(let name, let inherits) = scope { return (name, inherits) }
        }
        return nil
    }

    /// The index of the bracket that closes the one at an index.
    func end(ofBracketAt start: Int) -> Int {
        var depth = 0
        for index in start..<tokens.count where tokens[index].kind == .sign {
            switch tokens[index].text {
            case "(", "[", "{": depth += 1
            case ")", "]", "}":
                depth -= 1
                if depth == 0 { return index }
            default: break
            }
        }
        return tokens.count
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

    /// Finds what an opening brace belongs to, from the words before it.
    private static func scope(at brace: Int, in tokens: [SwiftToken], within outer: Scope?) -> Scope {
        let stops: Set<String> = ["{", "}", ";"]
        var start = brace
        var depth = 0
        while start > 0 {
            let token = tokens[start - 1]
            if token.kind == .sign {
                if token.text == ")" || token.text == "]" { depth += 1 }
                if token.text == "(" || token.text == "[" { depth -= 1 }
                if depth < 0 || depth == 0 && stops.contains(token.text) { break }
            }
            start -= 1
        }
        let head = tokens[start..<brace]
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
            case "func" where !isMember: return .function(name, labels: labels(head[index...]), start: index)
            case "init" where !isMember && isType(outer):
                return .function("init", labels: labels(head[index...]), start: index)
            case "var", "let":
                // A statement such as `if let a = b {` declares no property.
                if isType(outer) || outer == nil, !head[..<index].contains(where: { $0.text == "if" }) {
                    return .property(name)
                }
            default: break
            }
        }
        return .block(call(before: brace, in: tokens))
    }

    private static func isType(_ scope: Scope?) -> Bool {
        if case .type = scope { return true }
        return false
    }

    /// The labels of the parameters of a declaration.
    private static func labels(_ head: ArraySlice<SwiftToken>) -> [String] {
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
    private static func call(before brace: Int, in tokens: [SwiftToken]) -> String {
        var index = brace - 1
        guard index >= 0 else { return "" }
        if tokens[index].text == ")" {
            var depth = 0
            while index >= 0 {
                if tokens[index].text == ")" { depth += 1 }
                if tokens[index].text == "(" { depth -= 1 }
                if depth == 0 { break }
                index -= 1
            }
            index -= 1
        }
        return index >= 0 && tokens[index].kind == .word ? tokens[index].text : ""
    }
}
