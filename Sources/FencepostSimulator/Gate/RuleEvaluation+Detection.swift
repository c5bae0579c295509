import FencepostGeometry

/// What the system notices of the world: radios, pauses of updates, and events that Core Location misses.
extension RuleEvaluation {
    /// Updates that the system has paused come back only when the app starts them again.
    mutating func checkPause() {
        guard service == .standardUpdates || service == .liveUpdates, object?.isPaused == true else { return }
        if service == .liveUpdates {
            return refuse(
                .live01, .notMonitored, "The device rests, so live updates have paused until it moves.")
        }
        refuse(.svc26, .notMonitored, "The system has paused the updates, and the app has not started them again.")
        if device.grant != .always { apply(.svc27) }
    }

    /// Radios that the service needs.
    mutating func checkRadios() {
        if service == .significantChange, !device.hasCellular {
            warn(.svc28)
            refuse(.svc28, .notMonitored, "The cellular radio is off, and significant changes come from cell towers.")
        }
        if service.isRegionOfBeacon, !device.hasBluetooth {
            refuse(.svc29, .notMonitored, "Bluetooth is off, so no beacon is detected.")
        }
        guard refusals.isEmpty, service == .regionCircular || service == .clMonitorCircular || service == .visits else {
            return
        }
        if !device.hasNetwork {
            warn(
                .region08,
                "Without a network places are found by satellites only, so the event may be late or missing.")
            if service != .visits {
                warn(.region15, "That the hardware monitors regions does not say that it finds them.")
            }
        }
        if let radius = object?.radius, radius < gate.parameters.smallRadius {
            warn(
                .region09,
                "A radius below \(Int(clamped: gate.parameters.smallRadius)) metres may be missed, and may report an "
                    + "entry from far outside.")
        }
    }

    /// Updates of an app with Always that may not keep it running: they started in the background (SVC-25), or they are
    /// not enough from iOS 16.4 (SVC-24).
    mutating func checkContinuity() {
        guard service == .standardUpdates, device.lifecycle != .foreground, !isTerminated, refusals.isEmpty,
            device.platform.isHandheld, let object, object.isContinuous, device.grant == .always
        else { return }
        if object.continuesFromBackground == true { warn(.svc25, Rule[.svc25].textWithEvidence) }
        guard device.isSuspended(despite: object), !device.hasSessionInBackground else { return }
        warn(.svc24, Rule[.svc24].textWithEvidence)
        if device.active(.significantChange) == nil { warn(.dispute25) }
    }

    /// Events that Core Location does not notice.
    mutating func checkDetection() {
        if event.isMissed == true {
            apply(service.isRegion || service.isCondition ? .region24 : service.rule)
            refuse(
                service.isRegion || service.isCondition ? .region24 : service.rule, .dropped,
                "Core Location missed it, so there is no event.")
        }
        if event.isDiscarded == true {
            refuse(.region20, .dropped, "The region was registered again after this crossing, which discards it.")
        }
        guard service == .regionBeacon, event.kind == .exit, !isNotRunning,
            device.active(.beaconRanging, event.identifier) != nil
        else { return }
        warn(.region23)
        refuse(.region23, .dropped, "The app ranges the region, which by one report keeps back the exit.")
    }
}
