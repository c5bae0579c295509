import FencepostJSON
import FencepostModel
import FencepostSimulator

/// Reads the messages of the location daemon in the unified log. Apple does not document them; any may change.
enum LocationDaemonLine {
    /// What a message says, and about which app.
    struct Meaning {
        /// The bundle identifier in the message; `nil` when it names none.
        var app: String?
        /// What the message says.
        var fact: LogEntry.Fact
    }

    /// Reads a message; `nil` for one without a known meaning.
    static func read(_ root: JSONElement) -> Meaning? {
        guard let message = root["msg"]?.string else { return nil }
        guard let fact = fact(message, root) else { return nil }
        return Meaning(app: app(root), fact: fact)
    }

    private static func fact(_ message: String, _ root: JSONElement) -> LogEntry.Fact? {
        switch message {
        case "#CLIUA AppMonitor notification": return lifecycle(root["notification"]?.string ?? "")
        case "in-use level changed for client", "#CLIUA in-use level changed for client",
            "#CLIUA AssertionRecord updated", "AssertionRecord updated":
            return level(root).map { .inUse($0) }
        case "Showing #AuthPrompt": return .promptShown(goal(root))
        case "Sending location to client": return .sendsLocations
        case "state transition": return transition(root)
        default:
            guard message.hasPrefix("Setting client"), message.contains("authorization") else { return nil }
            return status(root, message).map { .status($0, nil) }
        }
    }

    /// The notifications are `ForegroundRunning`, `BackgroundRunning` and the like.
    private static func lifecycle(_ notification: String) -> LogEntry.Fact? {
        if notification.hasPrefix("Foreground") { return .foreground }
        if notification.contains("Terminated") { return .terminated(by: nil) }
        if notification.hasPrefix("Background") || notification.contains("Suspended") { return .background }
        return nil
    }

    private static func level(_ root: JSONElement) -> Bool? {
        let names = ["AssertionLevel", "InUseLevel", "inUseLevel", "newLevel"]
        guard let level = names.lazy.compactMap({ root[$0]?.string }).first else { return nil }
        return !level.hasSuffix("NotInUse")
    }

    private static func goal(_ root: JSONElement) -> Session.Goal? {
        guard let type = root["RequestType"]?.string ?? root["requestType"]?.string else { return nil }
        return type.contains("Always") ? .always : type.contains("WhenInUse") ? .whenInUse : nil
    }

    private static func status(_ root: JSONElement, _ message: String) -> ReportedStatus? {
        let level =
            ["authorization", "Authorization", "level", "newLevel", "status"].lazy
            .compactMap { root[$0]?.string }.first ?? message
        if level.contains("Always") { return .authorizedAlways }
        if level.contains("WhenInUse") { return .authorizedWhenInUse }
        if level.contains("Denied") { return .denied }
        if level.contains("Restricted") { return .restricted }
        return level.contains("NotDetermined") ? .notDetermined : nil
    }

    /// A change in the app's own process: `"state":"LocationManager"` with a property and its new value.
    private static func transition(_ root: JSONElement) -> LogEntry.Fact? {
        guard root["state"]?.string == "LocationManager", let property = root["property"]?.string else { return nil }
        let isOn = root["new"]?.bool ?? root["new"]?.int.map { $0 != 0 }
        guard let isOn else { return nil }
        switch property {
        case "allowsBackgroundLocationUpdates": return .allowsBackground(isOn)
        case "updatingLocation":
            return isOn ? .started(ServiceObject(.standardUpdates)) : .stopped(.standardUpdates, identifier: nil)
        default: return nil
        }
    }

    /// The bundle identifier of `<uuid>:i<bundle id>:` or `i<bundle id>:`, or of a plain member.
    static func app(_ root: JSONElement) -> String? {
        if let app = root["bundleId"]?.string ?? root["bundleID"]?.string { return app }
        let names = ["ClientKey", "clientKey", "Client", "client"]
        guard let key = names.lazy.compactMap({ root[$0]?.string }).first else { return nil }
        return app(ofClientKey: key)
    }

    /// The bundle identifier in a client key; `nil` for parts of the system.
    static func app(ofClientKey key: String) -> String? {
        for part in key.split(separator: ":") {
            if part.count == 36, part.count(where: { $0 == "-" }) == 4 { continue }
            guard part.contains(".") else { continue }
            return part.hasPrefix("i") && part.dropFirst().first?.isLetter == true
                ? String(part.dropFirst()) : String(part)
        }
        return nil
    }
}
