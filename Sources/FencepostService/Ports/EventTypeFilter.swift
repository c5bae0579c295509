import FencepostJSON
import FencepostModel

/// Patterns of event types, as filters of requests and endpoints have them.
public enum EventTypeFilter {
    /// The types of events of devices, of retractions, and of messages of the service itself.
    public static let known =
        EventType.allCases.map(\.rawValue) + ["event.retracted"] + ServiceEventType.allCases.map(\.rawValue)

    /// Why no event ever matches a pattern, with what may be meant; `nil` if one can.
    public static func problem(with pattern: String) -> String? {
        let glob = GlobPattern(pattern)
        guard !known.contains(where: glob.matches) else { return nil }
        let groups = Set(known.map { type in "\(type.prefix { $0 != "." }).*" }).sorted()
        let hint = nearest(to: pattern, in: known + groups).map { "did you mean \($0)?" }
        return "no type of event is like \(TextLimit.truncated(pattern, to: 60)): "
            + (hint
                ?? "it has to be a type such as region.entered, or a pattern such as \(groups.joined(separator: ", ")).")
    }
}
