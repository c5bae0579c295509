#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostSimulator
    public import Foundation

    /// A condition that a monitor can observe.
    public protocol CLCondition: Codable, Sendable {}

    /// Observes conditions and emits an event for each change of a state.
    ///
    /// Its conditions and their last handled events persist across launches until the app removes them; open the
    /// monitor again under the same name. Opening a name twice at the same time crashes the simulated app (MON-05).
    public actor CLMonitor {
        /// The name under which the monitor persists.
        public nonisolated let name: String
        nonisolated let core: DeviceCore
        nonisolated let process: Int

        /// Opens the monitor of a name, with the conditions from before.
        public init(_ name: String) async {
            self.name = name
            core = DeviceCore.forApp()
            process = core.read { $0.process }
            core.app(process) { $0.openMonitor(name) }
        }

        deinit {
            core.app(process) { [name] in $0.monitors[name]?.close() }
        }

        /// The identifiers of the conditions, in the order in which they were added.
        public var identifiers: [String] { core.read { [name] in $0.monitors[name]?.identifiers ?? [] } }

        /// Observes a condition. It replaces the condition with the same identifier.
        ///
        /// - Parameters:
        ///   - condition: a circular region or a beacon identity.
        ///   - identifier: the name of the condition in events, unique in the monitor.
        ///   - state: the state that the app assumes. An event corrects a wrong assumption.
        public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State = .unknown) {
            core.app(process) { [name] in $0.add(condition, identifier, to: name, assuming: state) }
        }

        /// Removes the condition and its record.
        public func remove(_ identifier: String) {
            core.app(process) { [name] in $0.remove(identifier, from: name) }
        }

        /// The condition with this identifier and its last handled event; `nil` for an unknown identifier.
        public func record(for identifier: String) -> Record? {
            core.read { [name] in $0.monitors[name]?.records[identifier] }
        }

        /// The events that the app has not handled yet, and those that follow.
        ///
        /// An event becomes the last one of its record when the loop asks for the next event. The loop ends when the
        /// app is terminated.
        public var events: Events { Events(name: name, core: core, process: process) }

        /// The condition that the device is inside a circle.
        public struct CircularGeographicCondition: CLCondition {
            /// The centre.
            public let center: CLLocationCoordinate2D
            /// The radius, in metres.
            public let radius: CLLocationDistance

            /// Makes a condition with a radius in metres.
            public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
                self.center = center
                self.radius = radius
            }

            private enum Key: String, CodingKey { case latitude, longitude, radius }

            /// Reads a circle with the members `latitude`, `longitude` and `radius`.
            public init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: Key.self)
                center = CLLocationCoordinate2D(
                    latitude: try values.decode(Double.self, forKey: .latitude),
                    longitude: try values.decode(Double.self, forKey: .longitude))
                radius = try values.decode(Double.self, forKey: .radius)
            }

            /// Writes a circle.
            public func encode(to encoder: any Encoder) throws {
                var values = encoder.container(keyedBy: Key.self)
                try values.encode(center.latitude, forKey: .latitude)
                try values.encode(center.longitude, forKey: .longitude)
                try values.encode(radius, forKey: .radius)
            }
        }

        /// The condition that a beacon is near.
        public struct BeaconIdentityCondition: CLCondition, Hashable {
            /// The UUID.
            public let uuid: UUID
            /// The major number; `nil` for any.
            public let major: CLBeaconMajorValue?
            /// The minor number; `nil` for any.
            public let minor: CLBeaconMinorValue?

            /// Any beacon of a UUID.
            public init(uuid: UUID) { (self.uuid, major, minor) = (uuid, nil, nil) }

            /// A beacon of a UUID with a major number.
            public init(uuid: UUID, major: CLBeaconMajorValue) { (self.uuid, self.major, minor) = (uuid, major, nil) }

            /// The beacon of a UUID with a major and a minor number.
            public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
                (self.uuid, self.major, self.minor) = (uuid, major, minor)
            }
        }

        /// A condition and the last event that the app has handled.
        public struct Record: Sendable {
            /// The condition.
            public let condition: any CLCondition
            /// The last handled event.
            public internal(set) var lastEvent: Event
        }

        /// A change of a condition's state.
        public struct Event: Sendable {
            /// The state of a condition (MON-01).
            @nonexhaustive(warn) public enum State: UInt, Sendable, Hashable {
                case unknown = 0
                /// Whether the device fulfils the condition.
                case satisfied, unsatisfied
                /// The system does not observe the condition. From iOS 18 flags report the reason.
                case unmonitored
            }

            /// The identifier of the condition.
            public let identifier: String
            /// The new state.
            public let state: State
            /// The time of the change.
            public let date: Date
            /// The condition that was met, where the observed one leaves something open: the beacon that the device last
            /// detected, for a beacon condition with wildcards (MON-10); otherwise `nil`.
            public internal(set) var refinement: (any CLCondition)?
            var flags: Set<String> = []

            init(identifier: String, state: State, date: Date) {
                (self.identifier, self.state, self.date) = (identifier, state, date)
            }

            /// Whether the user has refused location to the app.
            public var authorizationDenied: Bool { flags.contains("authorizationDenied") }
            /// Whether Location Services are off for the whole device.
            public var authorizationDeniedGlobally: Bool { flags.contains("authorizationDeniedGlobally") }
            /// Whether the device's administrator restricts location.
            public var authorizationRestricted: Bool { flags.contains("authorizationRestricted") }
            /// Whether a prompt is on screen.
            public var authorizationRequestInProgress: Bool { flags.contains("authorizationRequestInProgress") }
            /// Whether reduced accuracy limits the service.
            public var accuracyLimited: Bool { flags.contains("accuracyLimited") }
            /// Whether the condition is beyond the limit of conditions.
            public var conditionLimitExceeded: Bool { flags.contains("conditionLimitExceeded") }
            /// Whether the device does not support the condition.
            public var conditionUnsupported: Bool { flags.contains("conditionUnsupported") }
            /// Whether the app is not in use as the service requires.
            public var insufficientlyInUse: Bool { flags.contains("insufficientlyInUse") }
            /// Whether the system cannot store the condition.
            public var persistenceUnavailable: Bool { flags.contains("persistenceUnavailable") }
            /// Whether the app declares explicit service sessions and holds none.
            public var serviceSessionRequired: Bool { flags.contains("serviceSessionRequired") }
        }

        /// The sequence of a monitor's events.
        public struct Events: AsyncSequence, Sendable {
            /// One event.
            public typealias Element = Event

            let name: String
            let core: DeviceCore
            let process: Int

            /// Makes the iterator. A monitor supports one iterator at a time.
            public func makeAsyncIterator() -> Iterator {
                Iterator(name: name, core: core, process: process)
            }

            /// Iterates the events.
            public struct Iterator: AsyncIteratorProtocol {
                let name: String
                let core: DeviceCore
                let process: Int
                private var mailbox: Mailbox<Event>?

                init(name: String, core: DeviceCore, process: Int) {
                    (self.name, self.core, self.process) = (name, core, process)
                }

                /// The next event; `nil` when the process ends.
                public mutating func next() async throws -> Event? {
                    core.app(process) { [name] in $0.handled(by: name) }
                    if mailbox == nil { mailbox = core.app(process) { [name] in $0.iterate(name) } }
                    guard let event = await mailbox?.next() else { return nil }
                    core.app(process) { [name] in $0.monitors[name]?.inProgress = event }
                    return event
                }
            }
        }
    }

    extension CLMonitor.Event.State {
        /// Fails for the states of a region.
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
