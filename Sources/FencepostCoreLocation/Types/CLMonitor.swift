#if !canImport(CoreLocation)
    import FencepostSimulator
    public import Foundation

    /// What a monitor can look after.
    public protocol CLCondition: Sendable {}

    /// Looks after conditions, and tells of each change of their state.
    ///
    /// Its conditions and what the app has handled last until the app removes them, beyond any launch; open it again
    /// under the same name. To open a name twice at a time crashes the simulated app (rule MON-05).
    public actor CLMonitor {
        public nonisolated let name: String
        nonisolated let core: DeviceCore
        nonisolated let process: Int

        public init(_ name: String) async {
            self.name = name
            core = DeviceCore.forApp()
            process = core.read { $0.process }
            core.app(process) { $0.openMonitor(name) }
        }

        deinit {
            core.app(process) { [name] in $0.monitors[name]?.close() }
        }

        /// In the order in which they were added.
        public var identifiers: [String] { core.read { [name] in $0.monitors[name]?.identifiers ?? [] } }

        /// Monitors the condition in place of one of the same identifier.
        ///
        /// - Parameter state: what the app takes for true; it is told if that is wrong.
        public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State = .unknown) {
            core.app(process) { [name] in $0.add(condition, identifier, to: name, assuming: state) }
        }

        public func remove(_ identifier: String) {
            core.app(process) { [name] in $0.remove(identifier, from: name) }
        }

        public func record(for identifier: String) -> Record? {
            core.read { [name] in $0.monitors[name]?.records[identifier] }
        }

        /// What happens from now on, and what happened since the app last handled an event.
        ///
        /// An event becomes its record's last one when the loop asks for the next. The loop ends when the app is
        /// terminated.
        public var events: Events { Events(name: name, core: core, process: process) }

        public struct CircularGeographicCondition: CLCondition {
            public let center: CLLocationCoordinate2D
            /// Metres.
            public let radius: CLLocationDistance

            public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
                self.center = center
                self.radius = radius
            }
        }

        public struct BeaconIdentityCondition: CLCondition, Hashable {
            public let uuid: UUID
            public let major: CLBeaconMajorValue?
            public let minor: CLBeaconMinorValue?

            public init(uuid: UUID) { (self.uuid, major, minor) = (uuid, nil, nil) }

            public init(uuid: UUID, major: CLBeaconMajorValue) { (self.uuid, self.major, minor) = (uuid, major, nil) }

            public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
                (self.uuid, self.major, self.minor) = (uuid, major, minor)
            }
        }

        /// A condition and the last event that the app has handled.
        public struct Record: Sendable {
            public let condition: any CLCondition
            public internal(set) var lastEvent: Event
        }

        public struct Event: Sendable {
            @nonexhaustive(warn) public enum State: UInt, Sendable, Hashable {
                case unknown = 0
                case satisfied, unsatisfied
                /// Something stands in the way; from iOS 18 on flags say what.
                case unmonitored
            }

            public let identifier: String
            public let state: State
            public let date: Date
            /// What was met of a condition that leaves something open.
            public var refinement: (any CLCondition)? { nil }
            var flags: Set<String> = []

            init(identifier: String, state: State, date: Date) {
                (self.identifier, self.state, self.date) = (identifier, state, date)
            }

            public var authorizationDenied: Bool { flags.contains("authorizationDenied") }
            public var authorizationDeniedGlobally: Bool { flags.contains("authorizationDeniedGlobally") }
            public var authorizationRestricted: Bool { flags.contains("authorizationRestricted") }
            public var authorizationRequestInProgress: Bool { flags.contains("authorizationRequestInProgress") }
            public var accuracyLimited: Bool { flags.contains("accuracyLimited") }
            public var conditionLimitExceeded: Bool { flags.contains("conditionLimitExceeded") }
            public var conditionUnsupported: Bool { flags.contains("conditionUnsupported") }
            public var insufficientlyInUse: Bool { flags.contains("insufficientlyInUse") }
            public var persistenceUnavailable: Bool { flags.contains("persistenceUnavailable") }
            public var serviceSessionRequired: Bool { flags.contains("serviceSessionRequired") }
        }

        public struct Events: AsyncSequence, Sendable {
            public typealias Element = Event

            let name: String
            let core: DeviceCore
            let process: Int

            public func makeAsyncIterator() -> Iterator {
                Iterator(name: name, core: core, process: process)
            }

            public struct Iterator: AsyncIteratorProtocol {
                let name: String
                let core: DeviceCore
                let process: Int
                private var mailbox: Mailbox<Event>?

                init(name: String, core: DeviceCore, process: Int) {
                    (self.name, self.core, self.process) = (name, core, process)
                }

                public mutating func next() async throws -> Event? {
                    core.app(process) { [name] in $0.handled(by: name) }
                    if mailbox == nil { mailbox = core.app(process) { [name] in $0.iterate(name) } }
                    guard let event = await mailbox?.next() else { return nil }
                    core.app(process) { [name] in $0.monitors[name]?.inHand = event }
                    return event
                }
            }
        }
    }

    extension CLMonitor.Event.State {
        /// `nil` for the states of a region.
        init?(_ state: RegionState?) {
            switch state {
            case .satisfied: self = .satisfied
            case .unsatisfied: self = .unsatisfied
            case .unmonitored: self = .unmonitored
            case .unknown: self = .unknown
            case .inside, .outside, nil: return nil
            }
        }

        var regionState: RegionState {
            switch self {
            case .unknown: .unknown
            case .satisfied: .satisfied
            case .unsatisfied: .unsatisfied
            case .unmonitored: .unmonitored
            }
        }
    }
#endif
