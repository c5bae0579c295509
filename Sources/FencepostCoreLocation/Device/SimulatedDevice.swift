#if !canImport(CoreLocation)
    import FencepostGeometry
    import FencepostModel
    public import FencepostSimulator
    public import Foundation

    /// A device with one app on it, in the hands of a test: it taps and travels, and time is its own.
    ///
    /// The app is launched with a closure that builds it; from then on whatever the app hears from Core Location, it
    /// hears within calls of this handle, on the thread of the call and before the call returns. Nothing waits for
    /// real time, so a week passes at once and twice in the same way.
    ///
    /// The handle is not `Sendable`: use it where the app's managers are made, on the main actor as a rule. App code
    /// that a test calls by itself goes through `run`, as the device is current only inside of the handle's calls and
    /// in the tasks that are started there. Each device is a world of its own, so tests may run in parallel.
    public final class SimulatedDevice {
        let core: DeviceCore
        /// What builds the app, at each launch anew.
        var main: (() -> AnyObject)?
        /// The app of the process that runs; let go when that is terminated.
        var app: AnyObject?
        var isDelivering = false

        /// A device that is switched on and lies somewhere, with the app on it not running.
        ///
        /// - Parameters:
        ///   - given: the platform, what the app declares and was granted, and what it had started before. Its
        ///     `lifecycle`, `managers` and `delegateSetAtLaunch` are not taken: they come of what the app does.
        ///   - start: the time by the device's clock; by default 8 in the morning on 1 March 2026, UTC.
        ///   - coordinate: where the device is; without one no location is known.
        ///   - policy: how disputed rules are read.
        ///   - rules: the numbers that the rules leave open.
        ///   - parameters: the numbers of the device itself.
        public init(
            _ given: Given = Given(), at coordinate: CLLocationCoordinate2D? = nil,
            start: Date = Date(timeIntervalSince1970: 1_772_352_000), policy: SimulatorPolicy = .lenient,
            rules: SimulatorParameters = SimulatorParameters(), parameters: DeviceParameters = DeviceParameters()
        ) {
            core = DeviceCore(
                DeviceState(
                    given, gate: RelaunchGate(policy: policy, parameters: rules), parameters: parameters,
                    start: Timestamp(start), at: coordinate?.coordinate))
        }

        // MARK: The app

        /// The user taps the app's icon.
        ///
        /// - Parameter main: builds the app and what it needs of Core Location, as its launch code would. It is kept,
        ///   and runs again whenever the user or the system launches the app.
        /// - Returns: what `main` made; `nil` if the app ran already or is not installed.
        @discardableResult public func launch<App: AnyObject>(_ main: @escaping () -> App) -> App? {
            self.main = main
            perform(.launch(by: .user))
            return app as? App
        }

        /// The user taps the app's icon again: a launch if it was terminated, or else it comes to the foreground.
        public func launch() { perform(.enterForeground) }

        /// What the launch code made in the process that now runs; `nil` when none does.
        public func app<App: AnyObject>(as type: App.Type) -> App? { app as? App }

        /// Runs app code that the test calls by itself, and then tells the app what came of it.
        @discardableResult public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
            defer { deliver() }
            return try DeviceCore.$current.withValue(core) { try body() }
        }

        /// Runs app code that waits for something, such as the opening of a monitor.
        ///
        /// The app must not wait in it for what only a later call of the handle brings about.
        @discardableResult public nonisolated(nonsending) func run<Result>(
            _ body: nonisolated(nonsending) () async throws -> Result
        ) async rethrows -> Result {
            defer { deliver() }
            return try await DeviceCore.$current.withValue(core) { try await body() }
        }

        /// Lets the app's tasks run until its loops have taken everything that there is for them.
        ///
        /// - Parameter loops: how many loops over events, live updates or diagnostics there must be by then, for an
        ///   app that is just about to begin them.
        /// - Returns: whether it came to that. Tasks get many turns, but not endlessly many.
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

        /// The prompt on the screen.
        public var prompt: Prompt? { core.read { $0.prompt } }

        /// The user taps a button of the prompt.
        ///
        /// - Parameter precise: where the prompt offers the choice, how it is set; `nil` leaves it as it is.
        /// - Returns: whether there was a prompt with that button.
        @discardableResult public func answer(_ choice: Choice, precise: Bool? = nil) -> Bool {
            perform(.answer(choice, precise: precise)).effect == "answered"
        }

        public func enterBackground() { perform(.enterBackground) }
        public func enterForeground() { perform(.enterForeground) }

        /// The user changes something in Settings.
        public func change(_ setting: SettingsChange) { perform(.settings(setting)) }

        public func unlock() { perform(.unlock) }

        // MARK: What the system does

        /// Ends the app: for memory, by the user in the app switcher, by a crash, or with the whole device.
        public func terminate(by cause: Termination) { perform(.terminate(by: cause)) }

        /// Shows the second prompt of a provisional always, if an event is held for it.
        public func showSecondPrompt() { perform(.systemShowsSecondPrompt) }

        /// Shows the reminder that the app uses location in the background.
        public func showReminder() { perform(.systemShowsReminder) }

        /// Takes any step of the simulator.
        ///
        /// - Returns: the account of it, with the rules that decided.
        @discardableResult public func perform(_ verb: Verb) -> StepReport {
            let report = core.change { $0.perform(verb) }
            deliver()
            return report
        }

        // MARK: How things stand

        /// The device and the app as they are, the true grant among it.
        public var given: Given { core.read { $0.given } }
        /// What the user really gave, which the app is not told in all cases.
        public var grant: Grant { given.grant }
        public var lifecycle: Lifecycle { given.lifecycle }
        /// The time by the device's clock.
        public var now: Date { core.date }
        public var coordinate: CLLocationCoordinate2D? { core.read { $0.walk.place.map(CLLocationCoordinate2D.init) } }
        /// What became of each event so far, with the rules that decided.
        public var deliveries: [Delivery] { core.read { $0.deliveries } }
        public func deliveries(of service: Service) -> [Delivery] { deliveries.filter { $0.event.service == service } }
        /// The errors that the app was told of.
        public var errors: [ServiceError] { core.read { $0.errors } }
        /// What the app did that a phone crashes an app for.
        public var crash: Crash? { core.read { $0.crash } }
        /// How often the system launched the app by itself.
        public var launches: Int { core.read { $0.simulation.launches } }
        public var isSecondPromptScheduled: Bool { core.read { $0.simulation.secondPromptScheduled } }
        public var monitoredRegions: [String] { core.read { $0.simulation.final.monitoredRegions } }
        /// The account of the last step, whoever took it: what it did, and the rules why.
        public var lastReport: StepReport { core.read { $0.report } }
    }
#endif
