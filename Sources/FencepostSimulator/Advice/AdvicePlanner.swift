import FencepostJSON

/// Builds the items and the promises of a plan.
struct AdvicePlanner {
    let wish: AppWish
    let declaration: AppDeclaration?
    let gate: RelaunchGate

    var services: [Service] {
        (wish.goals.map { $0.service.service } + (restarts ? [.significantChange] : [])).withoutDuplicates
    }
    /// Whether the app may ask for Always.
    var mayAskForAlways: Bool { !wish.constraints.contains(.noAlways) }
    var restarts: Bool { wish.restarts && mayAskForAlways }
    var needsAlways: Bool { mayAskForAlways && wantsAlways }
    /// Whether what is wanted works with Always only.
    var wantsAlways: Bool {
        wish.inBackground && (wish.restarts || services.contains { $0.isClassicMonitoring || $0 == .locationPush })
    }
    var tracksInBackground: Bool { wish.inBackground && services.contains(.standardUpdates) }
    var usesRegions: Bool { services.contains(where: \.isRegion) }
    var newest: OSVersion { wish.systems.last ?? .newest }

    // MARK: Promises

    /// One promise for each service, version and situation that the wish is about.
    func promises() -> [Advice.Promise] {
        services.flatMap { service in
            wish.systems.flatMap { version in
                situations(of: service).map { promise(service, version, $0) }
            }
        }
    }

    /// A situation in which the app wants the event.
    struct Situation: Hashable {
        var state: RelaunchMatrix.State
        var isLocked = false
        var lowPower = false

        init(_ lifecycle: Lifecycle, by cause: Termination? = nil, isLocked: Bool = false, lowPower: Bool = false) {
            state = RelaunchMatrix.State(lifecycle: lifecycle, terminatedBy: cause)
            (self.isLocked, self.lowPower) = (isLocked, lowPower)
        }

        var words: String {
            "app \(state.description)" + (isLocked ? ", screen locked" : "") + (lowPower ? ", Low Power Mode" : "")
        }
    }

    private func situations(of service: Service) -> [Situation] {
        guard wish.inBackground, service != .requestLocation else { return [Situation(.foreground)] }
        let ends = [Termination.system, .user, .reboot].map { Situation(.terminated, by: $0) }
        let background: [Situation] =
            service == .standardUpdates
            ? [
                Situation(.backgroundRunning, isLocked: true),
                Situation(.backgroundRunning, isLocked: true, lowPower: true),
            ] : [Situation(.suspended), Situation(.terminated, by: .system, lowPower: true)]
        return [Situation(.foreground)] + background + ends
    }

    private func promise(_ service: Service, _ version: OSVersion, _ situation: Situation) -> Advice.Promise {
        var device = DeviceState()
        device.osVersion = version
        device.grant = needsAlways ? .always : .whenInUse
        device.lifecycle = situation.state.lifecycle
        device.terminatedBy = situation.state.terminatedBy
        device.lowPowerMode = situation.lowPower
        device.infoPlist = PropertyKeys(plannedKeys)
        if wish.constraints.contains(.noPrecise) { device.accuracy = .reduced }
        if service == .locationPush {
            device.entitlements = PropertyKeys([PropertyKeys.pushEntitlement])
            device.extensions = ["com.apple.location.push.service"]
        }
        let object = plannedObject(service)
        let event = ServiceEvent(service, service.typicalKind, identifier: object.identifier)
        var steps = [Step(.event(event))]
        if service == .standardUpdates, restarts, device.lifecycle == .terminated {
            // A significant change launches the app, which then starts its updates again.
            device.services = [ServiceObject(.significantChange)]
            steps = [
                Step(.event(ServiceEvent(.significantChange, .moved))), Step(.start(object)),
                Step(.wait(.seconds(600))), Step(.event(event)),
            ]
        } else {
            device.services = [object]
        }
        let deliveries = ScenarioRunner(gate: gate).run(Scenario(name: "", device: device, steps: steps)).deliveries
        let name = "\(service.rawValue), \(situation.words), iOS \(version)"
        let last = deliveries[deliveries.count - 1]
        let weakest = deliveries.min { ($0.certainty.percent ?? 100) < ($1.certainty.percent ?? 100) } ?? last
        return Advice.Promise(
            service: service, version: version, situation: situation.words, state: situation.state, delivery: last,
            certainty: weakest.certainty,
            uncertainRules: deliveries.flatMap(\.warnings).map(\.rule).withoutDuplicates,
            scenario: AdviceScenario(name: name, device: device, steps: steps, deliveries: deliveries).json)
    }

    /// The service as the plan starts it.
    private func plannedObject(_ service: Service) -> ServiceObject {
        var object = ServiceObject(service, identifier: service.isRegion ? "place" : nil)
        if service == .standardUpdates, tracksInBackground {
            object.allowsBackgroundLocationUpdates = true
            object.showsBackgroundLocationIndicator = true
            object.pausesLocationUpdatesAutomatically = false
        }
        return object
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

    var neededKeys: [(key: String, rules: [RuleID])] {
        var keys: [(String, [RuleID])] = [(PropertyKeys.whenInUse, [.plist01])]
        if needsAlways { keys.append((PropertyKeys.alwaysAndWhenInUse, [.plist03])) }
        if tracksInBackground { keys.append((PropertyKeys.backgroundModeLocation, [.plist12, .svc16])) }
        return keys
    }

    // MARK: Items

    /// The items of the plan, part by part.
    func items(_ promises: [Advice.Promise]) -> [Advice.Item] {
        grants + serviceItems + keys + constraintItems + sessions + launchCode + limits + failures(promises)
    }

    func item(_ part: Advice.Part, _ rules: [RuleID], _ text: String, done: Bool? = nil) -> Advice.Item {
        Advice.Item(part: part, text: text, rules: rules, isDone: done)
    }

    /// What the promises say that does not work, and what is uncertain, by service and state.
    private func failures(_ promises: [Advice.Promise]) -> [Advice.Item] {
        var items: [Advice.Item] = []
        for service in services {
            let own = promises.filter { $0.service == service }
            for situation in own.map(\.situation).withoutDuplicates {
                items += failures("\(service.rawValue), \(situation)", own.filter { $0.situation == situation })
            }
        }
        return items
    }

    private func failures(_ name: String, _ cells: [Advice.Promise]) -> [Advice.Item] {
        func versions(_ chosen: [Advice.Promise]) -> String {
            chosen.count == cells.count && cells.count > 1
                ? "on every version" : "on iOS " + chosen.map(\.version.description).joined(separator: ", ")
        }
        let failing = cells.filter { !$0.isKept }
        let uncertain = cells.filter { $0.isKept && $0.certainty.percent != nil }
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
                    .willNotWork, last.uncertainRules,
                    "\(name): uncertain \(versions(uncertain)): \(last.certainty.words)."))
        }
        return items
    }
}
