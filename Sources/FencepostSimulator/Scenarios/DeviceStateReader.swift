import FencepostJSON
import FencepostModel

/// Reads the state of a device and an app from JSON.
struct DeviceStateReader {
    /// Reads the Info.plist or entitlements file at a path; `nil` when it cannot be read.
    var propertyKeys: (_ key: String, _ path: String) -> [String]?

    static let keys = [
        "platform", "osVersion", "grant", "alwaysRequestUsed", "accuracy", "lifecycle", "terminatedBy",
        "locationServicesEnabled", "backgroundAppRefresh", "lowPowerMode", "unlockedSinceBoot", "infoPlist",
        "entitlements", "extensions", "services", "sessions", "managers", "appClip", "complicationOnActiveFace",
        "appEverLaunched", "appInstalled", "delegateSetAtLaunch", "systemAsleep", "pairedWatchApp",
        "maximumRegionMonitoringDistance", "locationNotifications", "reportedStatus", "restartsServices",
        "monitorProfile", "runsOn", "airplaneMode", "cellularEnabled", "bluetoothEnabled", "wifiEnabled",
        "restrictedBy",
        "offloaded",
    ]

    func read(_ element: JSONElement, at pointer: JSONPointer, _ findings: inout Findings) -> DeviceState {
        var device = DeviceState()
        guard let members = ObjectReader(element, at: pointer, known: Self.keys, &findings) else { return device }
        device.platform = members.enumValue("platform", Platform.self, &findings) ?? device.platform
        device.osVersion = members.version("osVersion", &findings) ?? device.osVersion
        device.grant = members.enumValue("grant", Grant.self, &findings) ?? device.grant
        device.lifecycle = members.enumValue("lifecycle", Lifecycle.self, &findings) ?? device.lifecycle
        device.terminatedBy = members.enumValue("terminatedBy", Termination.self, &findings)
        device.infoPlist = keys("infoPlist", members, &findings)
        device.entitlements = keys("entitlements", members, &findings)
        device.extensions = members.strings("extensions", &findings) ?? []
        let reducedByDefault = device.infoPlist.isTrue(PropertyKeys.defaultReduced) && device.system.isAtLeast(14)
        device.accuracy =
            members.enumValue("accuracy", Accuracy.self, &findings) ?? (reducedByDefault ? .reduced : .full)
        device.restartsServices = members.enumValue("restartsServices", ServiceRestart.self, &findings)
        device.monitorProfile = members.enumValue("monitorProfile", MonitorProfile.self, &findings)
        readSwitches(members, into: &device, &findings)
        readRadios(members, into: &device, &findings)
        device.managers = members.count("managers", &findings) ?? device.managers
        device.locationNotifications = members.count("locationNotifications", &findings) ?? 0
        // -1 where the hardware monitors no regions.
        device.maximumRegionMonitoringDistance = members.number(
            "maximumRegionMonitoringDistance", in: -1...ObjectReader.metres, &findings)
        device.statusOverride = members.enumValue("reportedStatus", ReportedStatus.self, &findings)
        if let services = array("services", members, "an array of services", &findings) {
            for (index, element) in services.enumerated() {
                let pointer = members.pointer("services").appending(index)
                if let object = service(element, at: pointer, &findings) { device.services.append(object) }
            }
        }
        for (index, text) in (members.strings("sessions", &findings) ?? []).enumerated() {
            if let session = Session(text) {
                device.sessions.append(HeldSession(session))
            } else {
                findings.reportInvalid(Self.sessionWords, at: members.pointer("sessions").appending(index))
            }
        }
        return device
    }

    static let sessionWords =
        "\"backgroundActivitySession\", \"liveActivity\", \"workoutSession\" or \"serviceSession(always)\", with whenInUse or none as well"

    /// The hardware, its radios, and what keeps the app or its grant away.
    private func readRadios(_ members: ObjectReader, into device: inout DeviceState, _ findings: inout Findings) {
        device.runsOn = members.enumValue("runsOn", Hardware.self, &findings)
        device.airplaneMode = members.bool("airplaneMode", &findings)
        device.cellularEnabled = members.bool("cellularEnabled", &findings)
        device.bluetoothEnabled = members.bool("bluetoothEnabled", &findings)
        device.wifiEnabled = members.bool("wifiEnabled", &findings)
        if members.bool("offloaded", &findings) == true { (device.offloaded, device.appInstalled) = (true, false) }
        device.restrictedBy = members.enumValue("restrictedBy", Restriction.self, &findings)
        guard device.restrictedBy != nil, device.grant != .restricted else { return }
        device.grantBeforeRestriction = device.grant
        device.grant = .restricted
    }

    private func readSwitches(_ members: ObjectReader, into device: inout DeviceState, _ findings: inout Findings) {
        let switches: [(String, WritableKeyPath<DeviceState, Bool>)] = [
            ("alwaysRequestUsed", \.alwaysRequestUsed), ("locationServicesEnabled", \.locationServicesEnabled),
            ("lowPowerMode", \.lowPowerMode), ("unlockedSinceBoot", \.unlockedSinceBoot), ("appClip", \.appClip),
            ("complicationOnActiveFace", \.complicationOnActiveFace), ("appEverLaunched", \.appEverLaunched),
            ("appInstalled", \.appInstalled), ("delegateSetAtLaunch", \.delegateSetAtLaunch),
            ("systemAsleep", \.systemAsleep), ("pairedWatchApp", \.pairedWatchApp),
        ]
        for (name, path) in switches {
            if let value = members.bool(name, &findings) { device[keyPath: path] = value }
        }
        guard let refresh = members.element("backgroundAppRefresh") else { return }
        switch (refresh.string, refresh.bool) {
        case ("on", _), (_, true): device.backgroundAppRefresh = true
        case ("off", _), (_, false): device.backgroundAppRefresh = false
        default: findings.reportInvalid("\"on\" or \"off\"", at: members.pointer("backgroundAppRefresh"))
        }
    }

    /// Reads an array of keys, or the path of a property list.
    func keys(_ name: String, _ members: ObjectReader, _ findings: inout Findings) -> PropertyKeys {
        guard let element = members.element(name) else { return PropertyKeys() }
        guard let path = element.string else { return PropertyKeys(members.strings(name, &findings) ?? []) }
        if let keys = propertyKeys(name, path) { return PropertyKeys(keys) }
        findings.report(
            "unreadable_property_list", members.pointer(name),
            "There is no property list, app, archive or project \"\(path)\" that can be read."
        )
        return PropertyKeys()
    }

    private func array(
        _ name: String, _ members: ObjectReader, _ wanted: String, _ findings: inout Findings
    ) -> JSONArray? {
        guard let element = members.element(name) else { return nil }
        if element.array == nil { findings.reportInvalid(wanted, at: members.pointer(name)) }
        return element.array
    }

    /// Apple's constants for `desiredAccuracy`. That of reduced accuracy is the largest number.
    private static let accuracies = [
        "kCLLocationAccuracyBestForNavigation": -2, "kCLLocationAccuracyBest": -1,
        "kCLLocationAccuracyNearestTenMeters": 10, "kCLLocationAccuracyHundredMeters": 100,
        "kCLLocationAccuracyKilometer": 1000, "kCLLocationAccuracyThreeKilometers": 3000,
        "kCLLocationAccuracyReduced": Double.greatestFiniteMagnitude,
    ]

    static let serviceKeys = [
        "service", "identifier", "center", "radius", "notifyOnEntry", "notifyOnExit", "state", "monitor",
        "allowsBackgroundLocationUpdates", "showsBackgroundLocationIndicator", "distanceFilter", "desiredAccuracy",
        "pausesLocationUpdatesAutomatically", "activityType", "stopped",
    ]

    /// Reads a service object, or the name of a service.
    func service(_ element: JSONElement, at pointer: JSONPointer, _ findings: inout Findings) -> ServiceObject? {
        if let name = element.string {
            guard let service = AppleName.value(of: name, Service.self), service != .locationNotification else {
                findings.reportInvalid("the name of a service, or an object with one", at: pointer)
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
        guard let service = members.enumValue("service", Service.self, &findings) else { return nil }
        guard service != .locationNotification else {
            findings.reportInvalid("a service that an app can start", at: members.pointer("service"))
            return nil
        }
        var object = ServiceObject(service, identifier: members.text("identifier", &findings))
        if let center = members.element("center") {
            let numbers = center.array?.compactMap(\.double) ?? []
            if numbers.count == 2, numbers[0].magnitude <= 90, numbers[1].magnitude <= 180 {
                object.center = numbers
            } else {
                findings.reportInvalid("latitude and longitude in degrees", at: members.pointer("center"))
            }
        }
        object.radius = members.number("radius", in: 0...ObjectReader.metres, &findings)
        object.notifyOnEntry = members.bool("notifyOnEntry", &findings)
        object.notifyOnExit = members.bool("notifyOnExit", &findings)
        object.state = members.enumValue("state", RegionState.self, &findings)
        object.observed = object.service.isRegion ? object.state : nil
        object.monitor = members.text("monitor", &findings)
        object.allowsBackgroundLocationUpdates = members.bool("allowsBackgroundLocationUpdates", &findings)
        object.showsBackgroundLocationIndicator = members.bool("showsBackgroundLocationIndicator", &findings)
        // Apple's constants: no filter is -1; the best accuracies are -1 and -2, the reduced one is a very large number.
        object.distanceFilter = members.number(
            "distanceFilter", in: -1...ObjectReader.metres, named: ["kCLDistanceFilterNone": -1], &findings)
        object.desiredAccuracy = members.number(
            "desiredAccuracy", in: -2...Double.greatestFiniteMagnitude, named: Self.accuracies, &findings)
        object.pausesLocationUpdatesAutomatically = members.bool("pausesLocationUpdatesAutomatically", &findings)
        object.activityType = members.enumValue("activityType", ServiceObject.Activity.self, &findings)
        object.stopped = members.bool("stopped", &findings)
        return object
    }
}
