/// The items of a plan, part by part.
extension AdvicePlanner {
    var grants: [Advice.Item] {
        guard needsAlways else {
            let state = wantsAlways ? "While Using, and never Always." : "While Using is enough."
            let items = [
                item(
                    .grants, [.auth12],
                    "\(state) Call requestWhenInUseAuthorization() on screen, when the feature is used.")
            ]
            guard tracksInBackground else { return items }
            return items + [
                item(
                    .grants, [.svc02, .svc27],
                    "The updates have to start on screen. They end with the process, and only the user brings them back."
                )
            ]
        }
        return reminderGrant + [
            item(
                .grants, [.relaunch04, .auth12, .auth17],
                "Always. Call requestWhenInUseAuthorization() first, and requestAlwaysAuthorization() when the user "
                    + "understands why: from iOS 13.4 that shows one prompt."),
            item(
                .grants, [.auth13, .prov01, .prov03, .prov09],
                "Do not ask for Always at once: the grant would be a provisional Always, which the API reports as "
                    + "Always, and events in the background are held until the system's second prompt."),
            item(
                .grants, [.auth18, .auth22], "There is one request for Always; afterwards only Settings can change it."),
        ]
    }

    var serviceItems: [Advice.Item] {
        var items = wish.goals.map { goal in
            let (service, call) = goal.service
            return item(.services, [service.rule], "For \(goal.rawValue): \(service.rawValue), by \(call).")
        }
        if usesRegions, needsAlways {
            items.append(
                item(
                    .services, [.mon11, .mon14, .relaunch30, .relaunch36],
                    "Prefer regions to CLMonitor: by reports from the field a monitor repeats events, ignores a second "
                        + "condition under a live identifier, and loses the first crossing after a reboot."))
            items.append(
                item(
                    .services, [.svc10, .relaunch12, .mon14, .relaunch36],
                    "Or a CLMonitor, from iOS 18 with a CLServiceSession for Always that is taken on screen. It loses the "
                        + "first crossing after a reboot, delivers copies, and on iOS 26 recovers less surely from a force "
                        + "quit."))
            if newest >= OSVersion(27) {
                items.append(
                    item(
                        .services, [.region18, .svc23],
                        "SDK 27 marks the registration of regions as deprecated; it works."))
            }
        }
        return items + pathItems + otherItems
    }

    var keys: [Advice.Item] {
        var items = neededKeys.map { needed in
            let isThere = declaration.map { declaration in
                declaration.infoPlist.has(needed.key) || declaration.infoPlist.entries.contains(needed.key)
            }
            let state = isThere.map { $0 ? " It is declared." : " It is missing." } ?? ""
            return item(.keys, needed.rules, "\(needed.key) in the Info.plist.\(state)", done: isThere)
        }
        if services.contains(.locationPush) {
            items.append(
                item(
                    .keys, [.plist14, .svc13],
                    "The entitlement \(PropertyKeys.pushEntitlement), which Apple grants on request, and a Location Push "
                        + "Service Extension."))
        }
        if needsAlways, !tracksInBackground {
            items.append(
                item(
                    .keys, [.svc18, .svc22],
                    "UIBackgroundModes:location is not needed, and App Review rejects it for regions alone."))
        }
        if let declaration, declaration.infoPlist.isTrue(PropertyKeys.defaultReduced), usesRegions {
            items.append(
                item(
                    .keys, [.plist10, .acc03, .relaunch06],
                    "Remove \(PropertyKeys.defaultReduced): with reduced accuracy no region produces an event.",
                    done: false))
        }
        return items
    }

    var sessions: [Advice.Item] {
        if tracksInBackground {
            return [
                item(
                    .sessions, [.plat03, .live03],
                    "From iOS 17 a CLBackgroundActivitySession, taken on screen, keeps the app in use as well.")
            ]
        }
        guard needsAlways else { return [] }
        return [
            item(
                .sessions, [.relaunch12, .relaunch37],
                "None: regions, visits and significant changes work without a service session, also on iOS 26.")
        ]
    }

    var launchCode: [Advice.Item] {
        // Without Always nothing is launched for what needs it.
        guard wish.inBackground, needsAlways || !wantsAlways else { return [] }
        var device = DeviceState()
        device.osVersion = newest
        device.lifecycle = .terminated
        device.services = services.filter { $0 != .locationPush }.map {
            ServiceObject($0, identifier: $0.isRegion ? "place" : nil)
        }
        let (must, needNot) = CoreLocationSimulation(device, gate: gate).launchTasks
        guard !must.isEmpty else { return [] }
        var items = [
            item(.launchCode, [.relaunch21], "On every launch: \(must.joined(separator: ", ")).")
        ]
        if !needNot.isEmpty {
            items.append(
                item(.launchCode, [.relaunch23, .relaunch24], "Not needed again: \(needNot.joined(separator: ", "))."))
        }
        items.append(
            item(
                .launchCode, [.relaunch31],
                "Do not wait for the location key of the launch options: a scene-based app never gets it."))
        items += backgroundLaunchItems
        if usesRegions {
            items.append(
                item(.launchCode, [.relaunch34], "Load what the identifiers mean before the manager is created."))
        }
        if newest >= OSVersion(27) {
            items.append(
                item(
                    .launchCode, [.relaunch32], "Adopt scenes: built with SDK 27, an app without them does not launch.")
            )
        }
        return items
    }

    var limits: [Advice.Item] {
        var items: [Advice.Item] = []
        if usesRegions {
            items += [
                item(
                    .limits, [.region01, .region19],
                    "At most 20 regions, shared with every SDK in the app. With more places, register the nearest ones "
                        + "and change them on a significant change."),
                item(.limits, [.region09], "Radius of at least 100 metres; smaller regions may be missed."),
                item(
                    .limits, [.region07, .region08, .relaunch35],
                    "Reports come after three to five minutes on average, in bad cases hours late."),
                item(.limits, [.relaunch06, .acc06], "With Precise off no region produces an event."),
            ]
        }
        if services.contains(.visits) {
            items.append(
                item(
                    .limits, [.visit07, .visit09],
                    "Visits are minutes late by design, and one is no proof of a stop: check how long it lasted."))
        }
        if services.contains(.significantChange) {
            items.append(item(.limits, [.slc01], "At most one event in five minutes, after at least 500 metres."))
        }
        items += pathLimits
        if wish.inBackground, needsAlways {
            items += [
                item(.limits, [.relaunch11], "Low Power Mode may delay or leave out events; no source says how often."),
                item(.limits, [.relaunch02], "Nothing is launched between a reboot and the first unlock."),
                item(.limits, [.relaunch10], "Background App Refresh should be on: without it a launch is uncertain."),
                item(
                    .limits, [.set09], "The system reminds the user of the use in the background and offers to end it."),
            ]
        }
        return items
    }
}
