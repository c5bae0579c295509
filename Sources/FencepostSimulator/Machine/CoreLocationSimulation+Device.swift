/// Changes of the device: a new system, a restored backup, radios and restrictions.
extension CoreLocationSimulation {
    mutating func updateSystem(to version: OSVersion, resetsGrant: Bool) {
        guard version > device.osVersion else { return note("The system is \(device.osVersion) already, or newer.") }
        terminate(by: .reboot)
        device.osVersion = version
        warn(.set11)
        effect("updated")
        if resetsGrant, device.grant.isAuthorized {
            setGrant(.notDetermined)
            note("The app stands at Ask Next Time after the update.")
        } else {
            note("The grant stays as it was.")
        }
    }

    mutating func restoreBackup() {
        guard device.appInstalled || device.offloaded == true else { return note("The app is not in the backup.") }
        let (grant, accuracy) = (device.grant, device.accuracy)
        if device.appInstalled { forgetInstallation() }
        device.appInstalled = true
        device.offloaded = nil
        (device.grant, device.accuracy) = (grant == .temporaryWhenInUse ? .notDetermined : grant, accuracy)
        known = KnownAuthorization(status: device.reportedStatus, accuracy: device.accuracyAuthorization)
        warn(.set12)
        effect("restored")
        note("The app has to run once on this device before it is launched for anything.")
    }

    mutating func offload() {
        guard device.appInstalled else { return note("The app is not installed.") }
        let (grant, accuracy, isRequestUsed) = (device.grant, device.accuracy, device.alwaysRequestUsed)
        forgetInstallation()
        device.offloaded = true
        (device.grant, device.accuracy) = (grant == .temporaryWhenInUse ? .notDetermined : grant, accuracy)
        device.alwaysRequestUsed = isRequestUsed
        known = KnownAuthorization(status: device.reportedStatus, accuracy: device.accuracyAuthorization)
        warn(.set13)
        effect("offloaded")
    }

    /// Sets the switch of a radio or of airplane mode; `nil` lets airplane mode decide.
    mutating func switchRadio(_ radio: WritableKeyPath<DeviceState, Bool?>, to isOn: Bool?) {
        device[keyPath: radio] = isOn
        effect("changed")
        if !device.hasCellular { cite(.svc28) }
        if !device.hasBluetooth { cite(.svc29) }
        if !device.hasNetwork {
            cite(.region08)
            note("Without a network regions are reported later than after three to five minutes.")
        }
    }

    /// Begins a restriction of location, which keeps the grant for its end.
    mutating func restrict(by restriction: Restriction) {
        cite(.set14)
        device.restrictedBy = restriction
        if device.grant != .restricted { device.grantBeforeRestriction = device.grant }
        device.grant = .restricted
    }

    /// Ends a restriction of location.
    mutating func endRestriction() {
        cite(.set14)
        guard device.grant == .restricted else { return note("Nothing restricts location.") }
        device.grant = device.grantBeforeRestriction ?? .notDetermined
        (device.restrictedBy, device.grantBeforeRestriction) = (nil, nil)
    }
}
