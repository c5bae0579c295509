#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostGeometry
    import FencepostModel
    public import FencepostSimulator
    public import Foundation

    /// A device with one app, controlled by a test: the test taps buttons, moves the device and advances the time.
    ///
    /// The test launches the app with a closure that builds it. The app receives every call of Core Location within the
    /// calls of this handle, on the calling thread and before the call returns. Nothing waits for real time, so a week
    /// passes at once, with the same result each time.
    ///
    /// The handle is not `Sendable`: use it where the app's managers are made, usually on the main actor. App code that
    /// a test calls itself runs inside `run`, because the device is current only within the calls of the handle and in
    /// tasks that start there. Devices are independent, so tests may run in parallel.
    public final class SimulatedDevice {
        let core: DeviceCore
        /// Builds the app at each launch.
        var main: (() -> AnyObject)?
        /// The app of the running process; `nil` after a termination.
        var app: AnyObject?
        var isDelivering = false

        /// Makes a device that is switched on, with the app not running. It has many parameters because tests set them in one
        /// expression; all but the first few have defaults.
        ///
        /// - Parameters:
        ///   - device: the platform, the app's declaration and grant, and the services that it had started before. Its
        ///     `lifecycle`, `managers` and `delegateSetAtLaunch` are ignored; they follow from what the app does.
        ///   - coordinate: where the device is; `nil` for an unknown location.
        ///   - start: the time by the device's clock; the default is 2026-03-01 08:00 UTC.
        ///   - policy: which reading of a disputed rule applies.
        ///   - rules: the numbers that the rules leave open.
        ///   - parameters: the numbers of the device.
        public init(
            _ device: DeviceState = DeviceState(), at coordinate: CLLocationCoordinate2D? = nil,
            start: Date = Date(timeIntervalSince1970: 1_772_352_000), policy: SimulatorPolicy = .lenient,
            rules: SimulatorParameters = SimulatorParameters(), parameters: DeviceParameters = DeviceParameters()
        ) {
            core = DeviceCore(
                SimulatedState(
                    device, gate: RelaunchGate(policy: policy, parameters: rules), parameters: parameters,
                    start: Timestamp(start), at: coordinate?.coordinate))
        }

        // MARK: The app

        /// The user taps the app's icon.
        ///
        /// - Parameter main: builds the app and its Core Location objects, like the launch code of an app. It is kept,
        ///   and runs again whenever the user or the system launches the app.
        /// - Returns: the result of `main`; `nil` if the app was running or is not installed.
        @discardableResult public func launch<App: AnyObject>(_ main: @escaping () -> App) -> App? {
            self.main = main
            perform(.launch(by: .user))
            return app as? App
        }

        /// Whether the launch options of the running process have the location key, for launch code that looks for it.
        ///
        /// The key is there when the system launched the app for a location, unless the app has adopted scenes, as its
        /// `infoPlist` says (RELAUNCH-20, RELAUNCH-31).
        public var hasLocationLaunchKey: Bool { core.read { $0.hasLocationKey } }

        /// The user taps the app's icon again. A terminated app is launched; otherwise the app comes to the foreground.
        public func launch() { perform(.enterForeground) }

        /// The result of the launch code in the running process; `nil` when no process runs.
        public func app<App: AnyObject>(as type: App.Type) -> App? { app as? App }

        /// Runs app code that the test calls itself, and then delivers the resulting callbacks to the app.
        @discardableResult public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
            defer { deliver() }
            return try DeviceCore.$current.withValue(core) { try body() }
        }

        /// Runs asynchronous app code, such as the opening of a monitor.
        ///
        /// The code must not wait for something that only a later call of the handle produces.
        @discardableResult public nonisolated(nonsending) func run<Result>(
            _ body: nonisolated(nonsending) () async throws -> Result
        ) async rethrows -> Result {
            defer { deliver() }
            return try await DeviceCore.$current.withValue(core) { try await body() }
        }

        /// Runs the app's tasks until its loops have taken all their elements.
        ///
        /// - Parameter loops: the least number of loops over events, live updates or diagnostics, for an app that is
        ///   about to begin them.
        /// - Returns: whether this state was reached. The number of turns is limited.
        @discardableResult public nonisolated(nonsending) func settle(loops: Int = 0) async -> Bool {
            await settle(loops: loops, turns: 100_000)
        }

        nonisolated(nonsending) func settle(loops: Int, turns: Int) async -> Bool {
            for _ in 0..<turns {
                deliver()
                await Task.yield()
                if core.read({ $0.isSettled(loops: loops) }) {
                    deliver()
                    return true
                }
            }
            return false
        }

        // MARK: What the user does

        /// The prompt on the screen; `nil` when there is none.
        public var prompt: Prompt? { core.read { $0.prompt } }

        /// The user taps a button of the prompt.
        ///
        /// - Parameters:
        ///   - choice: the button.
        ///   - precise: sets the switch for precise locations where the prompt has one; `nil` leaves it unchanged.
        /// - Returns: whether there was a prompt with that button.
        @discardableResult public func answer(_ choice: Choice, precise: Bool? = nil) -> Bool {
            perform(.answer(choice, precise: precise)).effect == "answered"
        }

        /// The app goes to the background.
        public func enterBackground() { perform(.enterBackground) }
        /// The app comes to the foreground; a terminated app is launched.
        public func enterForeground() { perform(.enterForeground) }

        /// The user changes something in Settings.
        public func change(_ setting: SettingsChange) { perform(.settings(setting)) }

        /// The user unlocks the device.
        public func unlock() { perform(.unlock) }

        // MARK: What the system does

        /// Terminates the app: the system for lack of memory, the user in the app switcher, a crash, or a reboot.
        public func terminate(by cause: Termination) { perform(.terminate(by: cause)) }

        /// Shows the second prompt of a provisional Always, if an event is held for it.
        public func showSecondPrompt() { perform(.systemShowsSecondPrompt) }

        /// Shows the reminder that the app uses location in the background.
        public func showReminder() { perform(.systemShowsReminder) }

        /// Performs any step of the simulator.
        ///
        /// - Returns: the report on the step, with the rules that decided.
        @discardableResult public func perform(_ verb: Verb) -> StepReport {
            let report = core.change { $0.perform(verb) }
            deliver()
            return report
        }

        /// Sets what the device's geocoder knows. Without placemarks its requests fail with `network`.
        public func setPlacemarks(_ placemarks: [CLPlacemark]) { core.change { $0.placemarks = placemarks } }

        // MARK: How things stand

        /// The state of the device and the app, including the true grant.
        public var state: DeviceState { core.read { $0.device } }
        /// What the user really allowed. The status that the app sees can differ.
        public var grant: Grant { state.grant }
        /// Whether the app is in the foreground, in the background, suspended or terminated.
        public var lifecycle: Lifecycle { state.lifecycle }
        /// The time by the device's clock.
        public var now: Date { core.date }
        /// Where the device is; `nil` for an unknown location.
        public var coordinate: CLLocationCoordinate2D? {
            core.read { $0.movement.place.map(CLLocationCoordinate2D.init) }
        }
        /// The decision about each event so far, with the rules that decided.
        public var deliveries: [Delivery] { core.read { $0.deliveries } }
        /// The decisions about the events of one service.
        public func deliveries(of service: Service) -> [Delivery] { deliveries.filter { $0.event.service == service } }
        /// The errors that the app received.
        public var errors: [ServiceError] { core.read { $0.errors } }
        /// The crash that Core Location raised for a programming error of the app; `nil` for none.
        public var crash: Crash? { core.read { $0.crash } }
        /// How often the system launched the app.
        public var launches: Int { core.read { $0.simulation.launches } }
        /// Whether the system will show the second prompt.
        public var isSecondPromptScheduled: Bool { core.read { $0.simulation.secondPromptScheduled } }
        /// The identifiers of the registered regions, in the order of their registration.
        public var monitoredRegions: [String] { core.read { $0.simulation.final.monitoredRegions } }
        /// The report on the last step, of the test or of the app, with the rules that decided.
        public var lastReport: StepReport { core.read { $0.report } }
    }
#endif
