import FencepostJSON

/// Builds the items and the promises of a plan.
struct AdvicePlanner {
    let wish: AppWish
    let declaration: AppDeclaration?
    let gate: RelaunchGate

    private var services: [Service] { wish.goals.map { $0.service.service }.withoutDuplicates }
    private var needsAlways: Bool { wish.inBackground && services.contains(where: \.isClassicMonitoring) }
    private var tracksInBackground: Bool { wish.inBackground && services.contains(.standardUpdates) }
    private var usesRegions: Bool { services.contains(where: \.isRegion) }
    private var newest: OSVersion { wish.systems.last ?? .newest }

    // MARK: Promises

    /// One promise for each service, version and state of the app.
    func promises() -> [Advice.Promise] {
        var states: [RelaunchMatrix.State] = [RelaunchMatrix.State(lifecycle: .foreground)]
        if wish.inBackground {
            states += [
                RelaunchMatrix.State(lifecycle: .suspended),
                RelaunchMatrix.State(lifecycle: .terminated, terminatedBy: .system),
                RelaunchMatrix.State(lifecycle: .terminated, terminatedBy: .user),
                RelaunchMatrix.State(lifecycle: .terminated, terminatedBy: .reboot),
            ]
        }
        return services.flatMap { service in
            wish.systems.flatMap { version in states.map { promise(service, version, $0) } }
        }
    }

    private func promise(_ service: Service, _ version: OSVersion, _ state: RelaunchMatrix.State) -> Advice.Promise {
        var device = DeviceState()
        device.osVersion = version
        device.grant = needsAlways ? .always : .whenInUse
        device.lifecycle = state.lifecycle
        device.terminatedBy = state.terminatedBy
        device.infoPlist = PropertyKeys(plannedKeys)
        var object = ServiceObject(service, identifier: service.isRegion ? "place" : nil)
        if service == .standardUpdates, tracksInBackground { object.allowsBackgroundLocationUpdates = true }
        device.services = [object]
        let event = ServiceEvent(service, service.typicalKind, identifier: object.identifier)
        let delivery = gate.decide(event, for: device)
        return Advice.Promise(
            service: service, version: version, state: state, delivery: delivery,
            scenario: scenario(device, event, delivery))
    }

    /// The keys that the app has when it follows the plan, in addition to what it declares.
    private var plannedKeys: [String] {
        var keys = declaration?.infoPlist.entries ?? []
        for (key, _) in neededKeys where !PropertyKeys(keys).has(key) && !keys.contains(key) { keys.append(key) }
        if declaration?.infoPlist.sdkMajorVersion ?? 0 >= 27, !PropertyKeys(keys).has(PropertyKeys.sceneManifest) {
            keys.append(PropertyKeys.sceneManifest)
        }
        return keys
    }

    private var neededKeys: [(key: String, rules: [RuleID])] {
        var keys: [(String, [RuleID])] = [(PropertyKeys.whenInUse, [.plist01])]
        if needsAlways { keys.append((PropertyKeys.alwaysAndWhenInUse, [.plist03])) }
        if tracksInBackground { keys.append((PropertyKeys.backgroundModeLocation, [.plist12, .svc16])) }
        return keys
    }

    private func scenario(_ device: DeviceState, _ event: ServiceEvent, _ delivery: Delivery) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        let state = RelaunchMatrix.State(lifecycle: device.lifecycle, terminatedBy: device.terminatedBy)
        writer.member("name", "\(event.service.rawValue), \(state.description), iOS \(device.osVersion)")
        writer.name("given")
        writer.beginObject()
        writer.member("osVersion", device.osVersion.description)
        writer.member("grant", device.grant.rawValue)
        writer.member("lifecycle", device.lifecycle.rawValue)
        if let cause = device.terminatedBy { writer.member("terminatedBy", cause.rawValue) }
        writer.member("infoPlist", device.infoPlist.entries)
        writer.array("services", device.services) { $0.value($1) }
        writer.endObject()
        writer.array("steps", [event]) { writer, event in
            writer.beginObject()
            writer.member("do", "event")
            writer.member("service", event.service.rawValue)
            writer.member("kind", event.kind.rawValue)
            if let identifier = event.identifier { writer.member("identifier", identifier) }
            writer.endObject()
        }
        writer.name("expect")
        writer.beginObject()
        writer.array("deliveries", [delivery]) { writer, delivery in
            writer.beginObject()
            writer.member("delivery", delivery.outcome.rawValue)
            writer.member("relaunch", delivery.relaunch)
            writer.member("decidingRule", delivery.decidingRule.rawValue)
            writer.endObject()
        }
        writer.endObject()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    // MARK: Items

    /// The items of the plan, part by part.
    func items(_ promises: [Advice.Promise]) -> [Advice.Item] {
        grants + serviceItems + keys + sessions + launchCode + limits + failures(promises)
    }

    private func item(_ part: Advice.Part, _ rules: [RuleID], _ text: String, done: Bool? = nil) -> Advice.Item {
        Advice.Item(part: part, text: text, rules: rules, isDone: done)
    }

    private var grants: [Advice.Item] {
        guard needsAlways else {
            return [
                item(
                    .grants, [.auth12],
                    "While Using is enough. Call requestWhenInUseAuthorization() on screen, when the feature is used.")
            ]
        }
        return [
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

    private var serviceItems: [Advice.Item] {
        var items = wish.goals.map { goal in
            let (service, call) = goal.service
            return item(.services, [service.rule], "For \(goal.rawValue): \(service.rawValue), by \(call).")
        }
        if usesRegions, wish.inBackground {
            items.append(
                item(
                    .services, [.mon11, .mon14, .relaunch30, .relaunch36],
                    "Prefer regions to CLMonitor: by reports from the field a monitor repeats events, ignores a second "
                        + "condition under a live identifier, and loses the first crossing after a reboot."))
            if newest >= OSVersion(27) {
                items.append(
                    item(
                        .services, [.region18, .svc23],
                        "SDK 27 marks the registration of regions as deprecated; it works."))
            }
        }
        if tracksInBackground {
            items.append(
                item(
                    .services, [.svc02],
                    "Set allowsBackgroundLocationUpdates to true and start the updates on screen."))
        }
        return items
    }

    private var keys: [Advice.Item] {
        var items = neededKeys.map { needed in
            let isThere = declaration.map { declaration in
                declaration.infoPlist.has(needed.key) || declaration.infoPlist.entries.contains(needed.key)
            }
            let state = isThere.map { $0 ? " It is declared." : " It is missing." } ?? ""
            return item(.keys, needed.rules, "\(needed.key) in the Info.plist.\(state)", done: isThere)
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

    private var sessions: [Advice.Item] {
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

    private var launchCode: [Advice.Item] {
        guard wish.inBackground else { return [] }
        var device = DeviceState()
        device.osVersion = newest
        device.lifecycle = .terminated
        device.services = services.map { ServiceObject($0, identifier: $0.isRegion ? "place" : nil) }
        let (must, needNot) = CoreLocationSimulation(device, gate: gate).launchTasks
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

    private var limits: [Advice.Item] {
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
            items.append(item(.limits, [.visit07], "Visits are minutes late by design."))
        }
        if services.contains(.significantChange) {
            items.append(item(.limits, [.slc01], "At most one event in five minutes, after at least 500 metres."))
        }
        if wish.inBackground, needsAlways {
            items += [
                item(.limits, [.relaunch02], "Nothing is launched between a reboot and the first unlock."),
                item(.limits, [.relaunch10], "Background App Refresh should be on: without it a launch is uncertain."),
                item(
                    .limits, [.set09], "The system reminds the user of the use in the background and offers to end it."),
            ]
        }
        return items
    }

    /// What the promises say that does not work, and what is uncertain, by service and state.
    private func failures(_ promises: [Advice.Promise]) -> [Advice.Item] {
        var items: [Advice.Item] = []
        for service in services {
            let own = promises.filter { $0.service == service }
            for state in own.map(\.state).withoutDuplicates {
                let cells = own.filter { $0.state == state }
                items += failures(of: service, state, cells)
            }
        }
        return items
    }

    private func failures(
        of service: Service, _ state: RelaunchMatrix.State, _ cells: [Advice.Promise]
    ) -> [Advice.Item] {
        func versions(_ chosen: [Advice.Promise]) -> String {
            chosen.count == cells.count && cells.count > 1
                ? "on every version" : "on iOS " + chosen.map(\.version.description).joined(separator: ", ")
        }
        let name = "\(service.rawValue), app \(state.description)"
        let failing = cells.filter { $0.delivery.outcome != .delivered }
        let uncertain = cells.filter { $0.delivery.outcome == .delivered && $0.delivery.confidence == .disputed }
        var items: [Advice.Item] = []
        if let first = failing.first {
            items.append(
                item(
                    .willNotWork, failing.map(\.delivery.decidingRule).withoutDuplicates,
                    "\(name): \(first.delivery.outcome.rawValue) \(versions(failing)). \(first.delivery.because)"))
        }
        if let last = uncertain.last {
            items.append(
                item(
                    .willNotWork, last.delivery.warnings.map(\.rule),
                    "\(name): uncertain \(versions(uncertain)): \(last.delivery.certainty.words)."))
        }
        return items
    }
}
