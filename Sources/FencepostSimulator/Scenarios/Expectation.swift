public import FencepostJSON

/// The expected part of an outcome, as JSON.
///
/// Objects are compared by the members that the expectation names, arrays element by element and by length. A member
/// that is absent from the outcome counts as null. A name may be a path, `deliveries[0].relaunch`. An object may stand
/// for single elements of an array: `{"deliveries":{"0":{"relaunch":true}}}`.
public struct Expectation: Hashable, Sendable {
    /// The expectation as compact JSON.
    public let json: String
    private let document: JSONDocument

    /// Makes an expectation from a JSON value.
    public init(_ element: JSONElement) {
        json = element.text
        // The text was written from a parsed value, so parsing succeeds.
        document = (try? JSONDocument(parsing: json)) ?? Expectation.empty
    }

    private static let empty: JSONDocument = {
        guard let document = try? JSONDocument(parsing: "{}") else { preconditionFailure("an empty object is JSON") }
        return document
    }()

    /// Compares the JSON text.
    public static func == (a: Expectation, b: Expectation) -> Bool { a.json == b.json }
    /// Hashes the JSON text.
    public func hash(into hasher: inout Hasher) { hasher.combine(json) }

    /// The differences between the actual value and the expectation.
    public func failures(of actual: JSONElement) -> [Outcome.Failure] {
        var failures: [Outcome.Failure] = []
        compare(document.root, actual, at: "", into: &failures)
        return failures
    }

    private func compare(
        _ expected: JSONElement, _ actual: JSONElement?, at path: String, into failures: inout [Outcome.Failure]
    ) {
        if let object = expected.object, actual?.kind == .object {
            for member in object {
                let name = member.name
                let memberPath = path.isEmpty ? name : "\(path).\(name)"
                let steps = Self.steps(of: name)
                let found = actual?[name] ?? (steps.count > 1 ? steps.reduce(actual) { $1.follow($0) } : nil)
                compare(member.value, found, at: memberPath, into: &failures)
            }
        } else if let object = expected.object, actual?.kind == .array {
            // Single elements by index: {"0":{…}}.
            for member in object {
                let found = Int(member.name).flatMap { actual?[$0] }
                compare(member.value, found, at: "\(path)[\(member.name)]", into: &failures)
            }
        } else if let array = expected.array, let found = actual?.array {
            if array.count != found.count { return fail(expected, actual, at: path, into: &failures) }
            for (index, pair) in zip(array, found).enumerated() {
                compare(pair.0, pair.1, at: "\(path)[\(index)]", into: &failures)
            }
        } else if let actual, !actual.isNull {
            if expected != actual { fail(expected, actual, at: path, into: &failures) }
        } else if !expected.isNull {
            fail(expected, actual, at: path, into: &failures)
        }
    }

    private func fail(
        _ expected: JSONElement, _ actual: JSONElement?, at path: String, into failures: inout [Outcome.Failure]
    ) {
        failures.append(Outcome.Failure(path: path, expected: expected.text, actual: actual?.text ?? "null"))
    }

    private enum PathStep {
        case name(String)
        case index(Int)

        func follow(_ element: JSONElement?) -> JSONElement? {
            switch self {
            case .name(let name): element?[name]
            case .index(let index): element?[index]
            }
        }
    }

    /// Splits a path such as `deliveries[0].relaunch`.
    private static func steps(of path: String) -> [PathStep] {
        var steps: [PathStep] = []
        for part in path.split(separator: ".") {
            let pieces = part.split(separator: "[")
            guard let name = pieces.first else { continue }
            if !part.hasPrefix("[") { steps.append(.name(String(name))) }
            for piece in part.hasPrefix("[") ? pieces[...] : pieces.dropFirst() {
                if piece.hasSuffix("]"), let index = Int(piece.dropLast()) { steps.append(.index(index)) }
            }
        }
        return steps
    }
}
