import FencepostJSON
import FencepostModel
import FencepostSimulator

/// Reads the lines that `LocationRecorder.swift` writes: one JSON object per delegate call and life-cycle step.
enum RecorderLine {
    /// The result of reading an object.
    enum Result {
        /// The line says this at this time.
        case facts([LogEntry.Fact], at: Timestamp)
        /// The line is one of the recorder's, but its call is unknown or incomplete.
        case unknown
        /// The object does not come from the recorder.
        case foreign
    }

    /// Reads an object.
    static func read(_ root: JSONElement) -> Result {
        guard root["fencepost"]?.int != nil else { return .foreign }
        guard let at = root["at"]?.string.flatMap({ Timestamp(rfc3339: $0) }), let call = root["call"]?.string else {
            return .unknown
        }
        let facts = facts(call, root)
        return facts.isEmpty ? .unknown : .facts(facts, at: at)
    }

    private static func facts(_ call: String, _ root: JSONElement) -> [LogEntry.Fact] {
        let service = name(root, "service", Service.self)
        let identifier = root["identifier"]?.string
        switch call {
        case "launch": return [.launched(launch(root))]
        case "foreground": return [.foreground]
        case "background": return [.background]
        case "terminate": return [.terminated(by: name(root, "by", Termination.self))]
        case "didChangeAuthorization":
            return name(root, "status", ReportedStatus.self).map { [.status($0, accuracy(root))] } ?? []
        case "didEnterRegion": return [.received(region(root), .enter, identifier: identifier)]
        case "didExitRegion": return [.received(region(root), .exit, identifier: identifier)]
        case "didVisit":
            return [.received(.visits, root["departure"]?.string == nil ? .arrival : .departure, identifier: nil)]
        case "didUpdateLocations":
            return [.received(service ?? .standardUpdates, (service ?? .standardUpdates).typicalKind, identifier: nil)]
        case "monitorEvent":
            switch root["state"]?.string {
            case "satisfied": return [.received(condition(root), .satisfied, identifier: identifier)]
            case "unsatisfied": return [.received(condition(root), .unsatisfied, identifier: identifier)]
            default: return []
            }
        case "liveUpdate": return [.received(.liveUpdates, .update, identifier: nil)]
        case "missed":
            guard let service else { return [] }
            let kind = name(root, "kind", ServiceEvent.Kind.self) ?? service.typicalKind
            return [.missed(service, kind, identifier: identifier)]
        case "request": return request(root).map { [.requested($0)] } ?? []
        case "start": return service.map { [.started(object($0, root))] } ?? []
        case "stop": return service.map { [.stopped($0, identifier: identifier)] } ?? []
        case "createSession": return session(root).map { [.tookSession($0)] } ?? []
        case "endSession": return session(root).map { [.endedSession($0)] } ?? []
        case "openMonitor": return root["name"]?.string.map { [.openedMonitor($0)] } ?? []
        case "setAllowsBackgroundLocationUpdates": return [.allowsBackground(root["value"]?.bool ?? true)]
        default: return []
        }
    }

    private static func launch(_ root: JSONElement) -> AppAtLaunch {
        var launch = AppAtLaunch()
        launch.isInBackground = root["state"]?.string == "background"
        (launch.app, launch.device) = (root["app"]?.string, root["device"]?.string)
        launch.system = root["system"]?.string
        launch.platform = name(root, "platform", Platform.self)
        launch.status = name(root, "status", ReportedStatus.self)
        launch.accuracy = accuracy(root)
        launch.regions = (root["regions"]?.array.map { Array($0) } ?? []).map { object(region($0), $0) }
        launch.infoPlist = (root["infoPlist"]?.array.map { Array($0) } ?? []).compactMap(\.string)
        launch.kind = root["kind"]?.string.flatMap { RecordingOrigin.Kind(rawValue: $0) }
        return launch
    }

    private static func name<Value: RawRepresentable>(
        _ root: JSONElement, _ key: String, _ type: Value.Type
    ) -> Value? where Value.RawValue == String {
        root[key]?.string.flatMap { AppleName.value(of: $0, type) }
    }

    private static func accuracy(_ root: JSONElement) -> AccuracyAuthorization? {
        root["accuracy"]?.string.flatMap { AccuracyAuthorization(rawValue: $0) }
    }

    private static func region(_ root: JSONElement) -> Service {
        root["beacon"]?.bool == true ? .regionBeacon : .regionCircular
    }

    private static func condition(_ root: JSONElement) -> Service {
        root["beacon"]?.bool == true ? .clMonitorBeacon : .clMonitorCircular
    }

    private static func object(_ service: Service, _ root: JSONElement) -> ServiceObject {
        var object = ServiceObject(service, identifier: root["identifier"]?.string)
        let numbers = root["center"]?.array.map { Array($0).compactMap(\.double) } ?? []
        if numbers.count == 2, numbers[0].magnitude <= 90, numbers[1].magnitude <= 180 { object.center = numbers }
        object.radius = root["radius"]?.double.flatMap { (0...100_000_000).contains($0) ? $0 : nil }
        object.monitor = root["monitor"]?.string
        object.notifyOnEntry = root["notifyOnEntry"]?.bool
        object.notifyOnExit = root["notifyOnExit"]?.bool
        object.allowsBackgroundLocationUpdates = root["allowsBackgroundLocationUpdates"]?.bool
        return object
    }

    private static func session(_ root: JSONElement) -> Session? { root["session"]?.string.flatMap { Session($0) } }

    private static func request(_ root: JSONElement) -> AuthorizationRequest? {
        switch root["level"]?.string {
        case "whenInUse": .level(.whenInUse)
        case "always": .level(.always)
        case "temporaryFullAccuracy": .temporaryFullAccuracy(purposeKey: root["purposeKey"]?.string ?? "")
        default: nil
        }
    }
}
