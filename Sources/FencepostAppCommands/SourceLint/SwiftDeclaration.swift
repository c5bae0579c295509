/// A function or property of a type, or of no type, with the tokens that it consists of.
struct SwiftDeclaration: Sendable {
    enum Kind: Hashable, Sendable {
        case function, initializer
        /// It has its value as soon as its type is made.
        case stored
        /// It has its value when something asks for it: computed, lazy, or outside of types.
        case computed
        /// A stored property of the type itself, which has its value when something asks for it.
        case shared
    }

    var kind: Kind
    var name: String
    /// The type or extension around it.
    var type: String?
    var labels: [String]
    /// Whether a framework may call it by an interface that the sources do not show.
    var isCallback: Bool
    var range: Range<Int>
    /// The attributes and modifiers before it, such as `@Injected(\.store) private`.
    var attributes: Range<Int>
}

/// A type or an extension in a source.
struct SwiftType: Sendable {
    var name: String
    var inherits: [String]
    var isExtension, isProtocol, isMain: Bool
}

extension SwiftSource {
    private static let starts: Set<String> = [
        "var", "let", "func", "init", "class", "struct", "enum", "extension", "protocol", "actor", "static", "private",
        "fileprivate", "public", "package", "internal", "open", "override", "lazy", "weak", "unowned", "final", "case",
        "mutating", "nonisolated", "convenience", "required", "typealias", "subscript", "deinit", "@", "import",
        "indirect", "isolated", "#Preview",
    ]

    /// The types and extensions of the source.
    var types: [SwiftType] {
        blocks.compactMap { scope, head in
            guard case .type(let name, let inherits) = scope else { return nil }
            let words = tokens[head]
            return SwiftType(
                name: name, inherits: inherits, isExtension: words.contains { $0.text == "extension" },
                isProtocol: words.contains { $0.text == "protocol" }, isMain: contains(["@", "main"], in: head))
        }
    }

    /// The functions and properties that are not inside of others.
    var declarations: [SwiftDeclaration] {
        tokens.indices.compactMap { index in
            guard tokens[index].kind == .word, isOutermost(index), !matches(["."], at: index - 1) else { return nil }
            switch tokens[index].text {
            case "func", "var", "let", "typealias":
                guard index + 1 < tokens.count else { return nil }
                return declaration(at: index, name: tokens[index + 1].text)
            case "init", "deinit", "subscript": return declaration(at: index, name: tokens[index].text)
            default: return nil
            }
        }
    }

    /// Whether a place is in a type or in nothing.
    private func isOutermost(_ index: Int) -> Bool {
        switch scopes(at: index).first {
        case nil, .type: true
        case .function, .property, .block: false
        }
    }

    private func declaration(at index: Int, name: String) -> SwiftDeclaration {
        let word = tokens[index].text
        let isFunction = word == "func" || word == "init" || word == "deinit" || word == "subscript"
        let (end, isComputed) = end(ofDeclarationAt: index, isFunction: isFunction)
        let attributes = attributes(before: index)
        let modifiers = Set(tokens[attributes].map(\.text))
        let type = type(at: index)?.name
        let kind: SwiftDeclaration.Kind
        if word == "init" {
            kind = .initializer
        } else if isFunction {
            kind = .function
        } else if modifiers.contains("static") || modifiers.contains("class") {
            kind = .shared
        } else {
            kind = isComputed || type == nil || modifiers.contains("lazy") || word == "typealias" ? .computed : .stored
        }
        // As delegates and observers are called: `locationManager(_ manager:didUpdate…)`, `@objc`, `override`.
        let isDelegate = matches(["(", "_"], at: index + 2) && isFunction
        return SwiftDeclaration(
            kind: kind, name: name, type: type, labels: isFunction ? Self.labels(tokens[index..<end]) : [],
            isCallback: isDelegate || modifiers.contains("override") || modifiers.contains("objc")
                || name.hasPrefix("locationManager"),
            range: index..<end, attributes: attributes)
    }

    /// The attributes and modifiers before a declaration.
    private func attributes(before index: Int) -> Range<Int> {
        var start = index
        while start > 0 {
            // `private`, `private(set)`, `@objc`, `@Injected(\.store)`
            let isCall = matches([")"], at: start - 1)
            let word = isCall ? (partner(of: start - 1) ?? 0) - 1 : start - 1
            guard word >= 0, tokens[word].kind == .word else { break }
            if matches(["@"], at: word - 1) {
                start = word - 1
            } else if Self.starts.contains(tokens[word].text) {
                start = word
            } else {
                break
            }
        }
        return start..<index
    }

    /// Where a declaration ends, and whether it is a property with a body.
    private func end(ofDeclarationAt start: Int, isFunction: Bool) -> (end: Int, isComputed: Bool) {
        var index = start + 1
        var hasValue = false
        while index < tokens.count {
            let token = tokens[index]
            if token.kind == .sign {
                switch token.text {
                case "}", ";": return (index, false)
                case "=": hasValue = true
                case "{":
                    let end = min(end(ofBracketAt: index) + 1, tokens.count)
                    // Observers such as `didSet` follow a value.
                    guard hasValue, !isFunction else { return (end, !isFunction && !isObserved(index)) }
                    index = end
                    continue
                case "(", "[":
                    index = end(ofBracketAt: index)
                default: break
                }
            }
            if token.kind != .text, Self.starts.contains(token.text), token.line > tokens[start].line,
                token.line > tokens[index - 1].line
            {
                return (index, false)
            }
            index += 1
        }
        return (tokens.count, false)
    }

    private func isObserved(_ brace: Int) -> Bool {
        matches(["didSet"], at: brace + 1) || matches(["willSet"], at: brace + 1)
    }
}
