public import FencepostJSON
public import FencepostModel
public import FencepostMonitor
public import Foundation

/// Reads and writes one alert rule as JSON. The members are those of `monitor.alerts` (rule K9).
public enum AlertRuleFile {
    /// The most rules of the configuration and of the API together.
    public static let maximumRules = 100

    /// Reads a rule.
    ///
    /// - Parameters:
    ///   - element: the object.
    ///   - id: the id of a rule that states none; `nil` for the name of its type.
    ///   - zone: the zone of a time of day without one; `nil` where it has to have one.
    /// - Returns: the rule, or `nil` with what is wrong.
    public static func read(
        _ element: JSONElement, id: String? = nil, zone: TimeZone? = nil
    ) -> (rule: AlertRule?, problem: Diagnostic?) {
        do {
            return (try ConfigurationKey.Value(element: element, folder: "", zone: zone).alert(id: id), nil)
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
    public static func read(stored text: String) -> AlertRule? {
        (try? JSONDocument(parsing: text)).flatMap { read($0.root).rule }
    }

    /// A rule as it is stored. `read` reads it again as it was.
    public static func text(of rule: AlertRule) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.members(of: rule)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    /// A rule of the API or of the configuration, with where it is from.
    public mutating func value(_ rule: AlertRule, source: String) {
        beginObject()
        members(of: rule)
        name("source")
        value(source)
        endObject()
    }
}
