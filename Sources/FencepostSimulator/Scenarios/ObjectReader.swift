import FencepostGeometry
import FencepostJSON
import FencepostModel

/// The diagnostics of a file, collected while it is read.
struct Findings {
    let file: String?
    private(set) var diagnostics: [Diagnostic] = []

    init(file: String?) {
        self.file = file
    }

    var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }

    mutating func report(_ code: String, _ pointer: JSONPointer, _ message: String) {
        diagnostics.append(Diagnostic(code: code, file: file, at: .pointer(pointer.description), message))
    }

    mutating func add(_ diagnostic: Diagnostic) { diagnostics.append(diagnostic) }

    /// Reports an unknown key. A misspelt key is an error; a key that is like no known one may be a remark and is a
    /// warning.
    mutating func reportUnknown(_ name: String, at pointer: JSONPointer, known: [String]) {
        let meant = nearest(to: name, in: known)
        let hint = meant.map { "did you mean \"\($0)\"?" }
        let list = "known are " + known.map { "\"\($0)\"" }.joined(separator: ", ") + "."
        add(
            Diagnostic(
                meant == nil ? .warning : .error, code: "unknown_key", file: file,
                at: .pointer(pointer.appending(name).description),
                "There is no key \"\(name)\" here; \(hint ?? list)"))
    }

    /// Reports a value that is not as expected.
    mutating func reportInvalid(_ wanted: String, at pointer: JSONPointer) {
        report("invalid_value", pointer, "This has to be \(wanted).")
    }
}

/// The known members of one JSON object. Each type is checked when the member is read.
struct ObjectReader {
    let pointer: JSONPointer
    private let members: [String: JSONElement]

    /// Reports every unknown member, with the nearest known key.
    init?(_ element: JSONElement, at pointer: JSONPointer, known: [String], _ findings: inout Findings) {
        self.pointer = pointer
        guard let object = element.object else {
            findings.reportInvalid("an object", at: pointer)
            return nil
        }
        var members: [String: JSONElement] = [:]
        for member in object {
            let name = member.name
            guard known.contains(name) else {
                findings.reportUnknown(name, at: pointer, known: known)
                continue
            }
            members[name] = member.value
        }
        self.members = members
    }

    /// The member, unless it is absent or null.
    func element(_ name: String) -> JSONElement? {
        guard let element = members[name], !element.isNull else { return nil }
        return element
    }

    /// Whether the member is present, null or not.
    func contains(_ name: String) -> Bool { members[name] != nil }

    func pointer(_ name: String) -> JSONPointer { pointer.appending(name) }

    func bool(_ name: String, _ findings: inout Findings) -> Bool? {
        guard let element = element(name) else { return nil }
        if element.bool == nil { findings.reportInvalid("true or false", at: pointer(name)) }
        return element.bool
    }

    func text(_ name: String, _ findings: inout Findings) -> String? {
        guard let element = element(name) else { return nil }
        if element.string == nil { findings.reportInvalid("a string", at: pointer(name)) }
        return element.string
    }

    /// Metres that are farther than any two places on Earth.
    static let metres = 100_000_000.0

    func number(_ name: String, in range: ClosedRange<Double>, _ findings: inout Findings) -> Double? {
        guard let element = element(name) else { return nil }
        guard let number = element.double, range.contains(number) else {
            findings.reportInvalid("a number from \(range.lowerBound) to \(range.upperBound)", at: pointer(name))
            return nil
        }
        return number
    }

    /// Reads a version: a text, or a number, where 16.10 is 16.1.
    func version(_ name: String, _ findings: inout Findings) -> OSVersion? {
        guard let member = element(name) else { return nil }
        if let version = (member.string ?? member.double.map { "\($0)" }).flatMap({ OSVersion($0) }) { return version }
        findings.reportInvalid("a version such as \"17.0\"", at: pointer(name))
        return nil
    }

    /// Reads a number, or the name of a constant of Apple's.
    func number(
        _ name: String, in range: ClosedRange<Double>, named constants: [String: Double], _ findings: inout Findings
    ) -> Double? {
        guard let text = element(name)?.string else { return number(name, in: range, &findings) }
        if let value = constants[text] { return value }
        let known = constants.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
        findings.reportInvalid("a number of metres or one of \(known.joined(separator: ", "))", at: pointer(name))
        return nil
    }

    func count(_ name: String, _ findings: inout Findings) -> Int? {
        guard let element = element(name) else { return nil }
        guard let count = element.int, (0...1_000_000).contains(count) else {
            findings.reportInvalid("a whole number from 0 to 1000000", at: pointer(name))
            return nil
        }
        return count
    }

    func seconds(_ name: String, _ findings: inout Findings) -> Duration? {
        // At most a hundred years: larger numbers are probably in another unit.
        number(name, in: 0...3_153_600_000, &findings).map { .milliseconds(Int64(clamped: ($0 * 1000).rounded())) }
    }

    func time(_ name: String, _ findings: inout Findings) -> Timestamp? {
        guard let element = element(name) else { return nil }
        guard let time = element.string.flatMap({ Timestamp(rfc3339: $0) }) else {
            findings.reportInvalid("a time such as \"2026-03-01T08:30:00Z\"", at: pointer(name))
            return nil
        }
        return time
    }

    /// Reads a case of an enumeration by its raw value or by a name of Apple's.
    func enumValue<Word: RawRepresentable & CaseIterable>(
        _ name: String, _ type: Word.Type, _ findings: inout Findings
    ) -> Word? where Word.RawValue == String {
        guard let element = element(name) else { return nil }
        if let word = element.string.flatMap({ AppleName.value(of: $0, Word.self) }) { return word }
        let known = Word.allCases.map(\.rawValue)
        let hint = element.string.flatMap { nearest(to: $0, in: known) }.map { " (did you mean \"\($0)\"?)" } ?? ""
        findings.reportInvalid("one of \(known.map { "\"\($0)\"" }.joined(separator: ", "))\(hint)", at: pointer(name))
        return nil
    }

    func strings(_ name: String, _ findings: inout Findings) -> [String]? {
        guard let element = element(name) else { return nil }
        guard let array = element.array else {
            findings.reportInvalid("an array of strings", at: pointer(name))
            return nil
        }
        var texts: [String] = []
        for (index, item) in array.enumerated() {
            if let text = item.string {
                texts.append(text)
            } else {
                findings.reportInvalid("a string", at: pointer(name).appending(index))
            }
        }
        return texts
    }
}
