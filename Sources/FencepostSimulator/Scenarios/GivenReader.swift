import FencepostJSON
import FencepostModel

/// Reads the description of a device and an app.
struct GivenReader {
    /// Reads an Info.plist or entitlements file that a path names; `nil` when there is none to be read.
    var propertyKeys: (_ path: String) -> [String]?

    static let keys = [
        "platform", "osVersion", "grant", "alwaysRequestUsed", "accuracy", "lifecycle", "terminatedBy",
        "locationServicesEnabled", "backgroundAppRefresh", "lowPowerMode", "unlockedSinceBoot", "infoPlist",
        "entitlements", "extensions", "services", "sessions", "managers", "appClip", "complicationOnActiveFace",
        "appEverLaunched", "appInstalled", "delegateSetAtLaunch", "systemAsleep", "pairedWatchApp",
        "maximumRegionMonitoringDistance", "locationNotifications", "reportedStatus",
    ]

    func read(_ element: JSONElement, at pointer: JSONPointer, _ findings: inout Findings) -> Given {
        var given = Given()
        guard let members = ObjectReader(element, at: pointer, known: Self.keys, &findings) else { return given }
        given.platform = members.word("platform", Platform.self, &findings) ?? given.platform
        if let text = members.element("osVersion") {
            if let version = (text.string ?? text.double.map { "\($0)" }).flatMap({ OSVersion($0) }) {
                given.osVersion = version
            } else {
                findings.wants("a version such as \"17.0\"", at: members.place("osVersion"))
            }
        }
        given.grant = members.word("grant", Grant.self, &findings) ?? given.grant
        given.lifecycle = members.word("lifecycle", Lifecycle.self, &findings) ?? given.lifecycle
        given.terminatedBy = members.word("terminatedBy", Termination.self, &findings)
        given.infoPlist = keys("infoPlist", members, &findings)
        given.entitlements = keys("entitlements", members, &findings)
        given.extensions = members.texts("extensions", &findings) ?? []
        let reducedByDefault = given.infoPlist.isTrue(PropertyKeys.defaultReduced) && given.system.isAtLeast(14)
        given.accuracy = members.word("accuracy", Accuracy.self, &findings) ?? (reducedByDefault ? .reduced : .full)
        readSwitches(members, into: &given, &findings)
        given.managers = members.count("managers", &findings) ?? given.managers
        given.locationNotifications = members.count("locationNotifications", &findings) ?? 0
        given.maximumRegionMonitoringDistance = members.number("maximumRegionMonitoringDistance", &findings)
        given.statusOverride = members.word("reportedStatus", ReportedStatus.self, &findings)
        if let services = array("services", members, "an array of services", &findings) {
            for (index, element) in services.enumerated() {
                let place = members.place("services").appending(index)
                if let object = service(element, at: place, &findings) { given.services.append(object) }
            }
        }
        for (index, text) in (members.texts("sessions", &findings) ?? []).enumerated() {
            if let session = Session(text) {
                given.sessions.append(HeldSession(session))
            } else {
                findings.wants(Self.sessionWords, at: members.place("sessions").appending(index))
            }
        }
        return given
    }

    static let sessionWords =
        "\"backgroundActivitySession\", \"liveActivity\" or \"serviceSession(always)\", with whenInUse or none as well"

    private func readSwitches(_ members: ObjectReader, into given: inout Given, _ findings: inout Findings) {
        let switches: [(String, WritableKeyPath<Given, Bool>)] = [
            ("alwaysRequestUsed", \.alwaysRequestUsed), ("locationServicesEnabled", \.locationServicesEnabled),
            ("lowPowerMode", \.lowPowerMode), ("unlockedSinceBoot", \.unlockedSinceBoot), ("appClip", \.appClip),
            ("complicationOnActiveFace", \.complicationOnActiveFace), ("appEverLaunched", \.appEverLaunched),
            ("appInstalled", \.appInstalled), ("delegateSetAtLaunch", \.delegateSetAtLaunch),
            ("systemAsleep", \.systemAsleep), ("pairedWatchApp", \.pairedWatchApp),
        ]
        for (name, path) in switches {
            if let value = members.bool(name, &findings) { given[keyPath: path] = value }
        }
        guard let refresh = members.element("backgroundAppRefresh") else { return }
        switch (refresh.string, refresh.bool) {
        case ("on", _), (_, true): given.backgroundAppRefresh = true
        case ("off", _), (_, false): given.backgroundAppRefresh = false
        default: findings.wants("\"on\" or \"off\"", at: members.place("backgroundAppRefresh"))
        }
    }

    /// An array of keys, or the path of a property list.
    func keys(_ name: String, _ members: ObjectReader, _ findings: inout Findings) -> PropertyKeys {
        guard let element = members.element(name) else { return PropertyKeys() }
        guard let path = element.string else { return PropertyKeys(members.texts(name, &findings) ?? []) }
        if let keys = propertyKeys(path) { return PropertyKeys(keys) }
        findings.report(
            "unreadable_property_list", members.place(name), "There is no property list \"\(path)\" that can be read.")
        return PropertyKeys()
    }

    private func array(
        _ name: String, _ members: ObjectReader, _ wanted: String, _ findings: inout Findings
    ) -> JSONArray? {
        guard let element = members.element(name) else { return nil }
        if element.array == nil { findings.wants(wanted, at: members.place(name)) }
        return element.array
    }

    static let serviceKeys = [
        "service", "identifier", "center", "radius", "notifyOnEntry", "notifyOnExit", "state", "monitor",
        "allowsBackgroundLocationUpdates", "showsBackgroundLocationIndicator", "distanceFilter", "desiredAccuracy",
        "stopped",
    ]

    /// An object of a service, or its name alone.
    func service(_ element: JSONElement, at pointer: JSONPointer, _ findings: inout Findings) -> ServiceObject? {
        if let name = element.string {
            guard let service = Service(rawValue: name), service != .locationNotification else {
                findings.wants("the name of a service, or an object with one", at: pointer)
                return nil
            }
            return ServiceObject(service)
        }
        guard let members = ObjectReader(element, at: pointer, known: Self.serviceKeys, &findings) else { return nil }
        return service(members, &findings)
    }

    func service(_ members: ObjectReader, _ findings: inout Findings) -> ServiceObject? {
        guard members.element("service") != nil else {
            findings.report("missing_key", members.pointer, "The key \"service\" is missing.")
            return nil
        }
        guard let service = members.word("service", Service.self, &findings) else { return nil }
        guard service != .locationNotification else {
            findings.wants("a service that an app can start", at: members.place("service"))
            return nil
        }
        var object = ServiceObject(service, identifier: members.text("identifier", &findings))
        if let center = members.element("center") {
            let numbers = center.array?.compactMap(\.double) ?? []
            if numbers.count == 2, abs(numbers[0]) <= 90, abs(numbers[1]) <= 180 {
                object.center = numbers
            } else {
                findings.wants("latitude and longitude in degrees", at: members.place("center"))
            }
        }
        object.radius = members.number("radius", in: 0...100_000_000, &findings)
        object.notifyOnEntry = members.bool("notifyOnEntry", &findings)
        object.notifyOnExit = members.bool("notifyOnExit", &findings)
        object.state = members.word("state", RegionState.self, &findings)
        object.observed = object.service.isRegion ? object.state : nil
        object.monitor = members.text("monitor", &findings)
        object.allowsBackgroundLocationUpdates = members.bool("allowsBackgroundLocationUpdates", &findings)
        object.showsBackgroundLocationIndicator = members.bool("showsBackgroundLocationIndicator", &findings)
        object.distanceFilter = members.number("distanceFilter", &findings)
        object.desiredAccuracy = members.number("desiredAccuracy", &findings)
        object.stopped = members.bool("stopped", &findings)
        return object
    }
}
