import FencepostGeometry

/// A loop whose header says how often it runs.
struct SourceLoop {
    /// The word that begins it.
    var start: Int
    var count: Int
    var body: Range<Int>
}

extension SwiftSource {
    /// Whether words follow one another within a range.
    func contains(_ words: [String], in range: Range<Int>) -> Bool {
        range.contains { matches(words, at: $0) }
    }

    /// Whether a place is in a block of an `if`, an `else`, a `switch` or a `while`, within its function.
    func isInCondition(_ index: Int) -> Bool {
        for (scope, head) in heads(at: index) {
            switch scope {
            case .function, .type: return false
            case .property, .block: break
            }
            let words: Set<String> = ["if", "else", "switch", "while"]
            if tokens[head].contains(where: { $0.kind == .word && words.contains($0.text) }) { return true }
        }
        return false
    }

    /// Whether a place is in a closure that its function only assigns: `feature.onAllow = { … }`.
    func isInStoredClosure(_ index: Int) -> Bool {
        for (scope, head) in heads(at: index) {
            switch scope {
            case .function, .type: return false
            case .property, .block: break
            }
            if matches(["="], at: head.upperBound - 1), end(ofBracketAt: head.upperBound) != tokens.count {
                // A closure that is called at once is followed by a bracket.
                if !matches(["("], at: end(ofBracketAt: head.upperBound) + 1) { return true }
            }
        }
        return false
    }

    /// The loops `for … in` and `forEach` whose count is written.
    var loops: [SourceLoop] {
        var loops: [SourceLoop] = []
        // As a label it is followed by a colon.
        for index in positions(of: "for") where !matches([":"], at: index + 1) {
            guard let open = firstBrace(after: index), open - index < 2_000,
                !tokens[index..<open].contains(where: { $0.kind == .word && $0.text == "where" }),
                let count = iterations(of: index..<open)
            else { continue }
            loops.append(SourceLoop(start: index, count: count, body: open..<end(ofBracketAt: open)))
        }
        for index in positions(of: "forEach") where matches(["."], at: index - 1) && index >= 2 {
            let isCall = matches(["(", "{"], at: index + 1)
            guard isCall || matches(["{"], at: index + 1), let first = partner(of: index - 2), first < index,
                ")]".contains(tokens[index - 2].text)
            else { continue }
            // `prefix(20)` is a call, `(0..<20)` and `[a, b]` are values.
            let start = matches(["prefix"], at: first - 1) ? first - 1 : first
            if start == first, first > 0, tokens[first - 1].kind == .word, tokens[first - 1].line == tokens[first].line
            {
                continue
            }
            guard let count = iterations(of: start..<index - 1) else { continue }
            let open = isCall ? index + 2 : index + 1
            loops.append(SourceLoop(start: index, count: count, body: open..<end(ofBracketAt: open)))
        }
        return loops.sorted { $0.start < $1.start }
    }

    /// How often a loop runs, where its header says so.
    private func iterations(of header: Range<Int>) -> Int? {
        for index in header {
            if matches(["prefix", "("], at: index), matches([")"], at: index + 3) {
                return number(in: index + 2..<index + 3).map { Int(clamped: $0) }
            }
            // A literal array is the whole of what a loop goes through.
            if matches(["["], at: index), end(ofBracketAt: index) == header.upperBound - 1,
                index == header.lowerBound || matches(["in"], at: index - 1)
            {
                return elements(ofArrayAt: index)
            }
            guard tokens[index].kind == .number, matches([".", "."], at: index + 1) else { continue }
            let isClosed = matches([".", ".", "."], at: index + 1)
            guard isClosed || matches([".", ".", "<"], at: index + 1),
                let first = number(in: index..<index + 1), index + 4 < header.upperBound,
                let last = number(in: index + 4..<index + 5)
            else { continue }
            return Int(clamped: last - first + (isClosed ? 1 : 0))
        }
        return nil
    }

    /// The number of elements of a literal array.
    private func elements(ofArrayAt bracket: Int) -> Int {
        let end = end(ofBracketAt: bracket)
        var (count, index, isOpen) = (0, bracket + 1, false)
        while index < end {
            if matches([","], at: index) {
                isOpen = false
            } else if !isOpen {
                count += 1
                isOpen = true
            }
            let close = partner(of: index) ?? index
            index = max(close, index) + 1
        }
        return count
    }
}
