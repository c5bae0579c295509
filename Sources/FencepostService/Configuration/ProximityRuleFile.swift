public import FencepostJSON
public import FencepostModel
public import FencepostMonitor
public import Foundation

/// Reads and writes one proximity rule as JSON. The members are those of `monitor.proximity` (rule K11).
public enum ProximityRuleFile {
    /// The most rules of the configuration and of the API together.
    public static let maximumRules = 100

    /// Reads a rule.
    ///
    /// - Parameters:
    ///   - element: the object.
    ///   - id: the id of a rule that states none; `nil` where it has to state one.
    ///   - zone: the zone of hours without one; `nil` where they have to have one.
    /// - Returns: the rule, or `nil` with what is wrong.
    public static func read(
        _ element: JSONElement, id: String? = nil, zone: TimeZone? = nil
    ) -> (rule: ProximityRule?, problem: Diagnostic?) {
        do {
            return (try ConfigurationKey.Value(element: element, folder: "", zone: zone).proximityRule(id: id), nil)
        } catch {
            let mismatch = error as? ConfigurationKey.Mismatch
            var pointer = JSONPointer()
            if let member = mismatch?.member { pointer = pointer.appending(member) }
            if mismatch?.member != nil, let index = mismatch?.index { pointer = pointer.appending(index) }
            return (
                nil,
                Diagnostic(
                    code: "invalid_value", file: nil, at: .pointer(pointer.description),
                    "This has to be \(mismatch?.wanted ?? "something else").")
            )
        }
    }

    /// Reads a stored rule; `nil` for a damaged one.
    public static func read(stored text: String) -> ProximityRule? {
        (try? JSONDocument(parsing: text)).flatMap { read($0.root).rule }
    }

    /// A rule as it is stored. `read` reads it again as it was.
    public static func text(of rule: ProximityRule) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.members(of: rule)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    /// A rule of the API or of the configuration, with where it is from.
    public mutating func value(_ rule: ProximityRule, source: String) {
        beginObject()
        members(of: rule)
        name("source")
        value(source)
        endObject()
    }
}
