#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostSimulator

    /// An element of live updates: a fix, or the reason why there is none.
    public struct CLLocationUpdate: Sendable {
        /// The fix; `nil` when there is none.
        public let location: CLLocation?
        var flags: Set<String> = []

        init(location: CLLocation?, flags: Set<String> = []) {
            self.location = location
            self.flags = flags
        }

        /// Whether this is the last update while the device rests (LIVE-01).
        public var stationary: Bool { flags.contains("stationary") }
        /// The name of `stationary` in iOS 17.
        public var isStationary: Bool { stationary }
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
        /// Whether the app is not in use as the service requires.
        public var insufficientlyInUse: Bool { flags.contains("insufficientlyInUse") }
        /// Whether the device knows no location.
        public var locationUnavailable: Bool { flags.contains("locationUnavailable") }
        /// Whether the app declares explicit service sessions and holds none.
        public var serviceSessionRequired: Bool { flags.contains("serviceSessionRequired") }

        /// The kind of movement that the app expects. It makes no difference in the simulation.
        @nonexhaustive(warn) public enum LiveConfiguration: Int, Sendable, Hashable {
            case `default` = 0
            /// Kinds of movement.
            case automotiveNavigation, otherNavigation, fitness, airborne
        }

        /// Updates while the app iterates them. The loop ends when the app is terminated.
        public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
            let core = DeviceCore.forApp()
            return Updates(core: core, process: core.read { $0.process })
        }

        /// The sequence of updates.
        public struct Updates: AsyncSequence, Sendable {
            /// One update.
            public typealias Element = CLLocationUpdate

            let core: DeviceCore
            let process: Int

            /// Makes the iterator. The updates begin with its first element.
            public func makeAsyncIterator() -> Iterator { Iterator(core: core, process: process) }

            /// Iterates the updates.
            public struct Iterator: AsyncIteratorProtocol {
                let core: DeviceCore
                let process: Int
                private var loop: Loop?

                init(core: DeviceCore, process: Int) { (self.core, self.process) = (core, process) }

                /// The next update; `nil` when the process ends.
                public mutating func next() async throws -> CLLocationUpdate? {
                    if loop == nil { loop = Loop(core: core, process: process) }
                    return await loop?.mailbox.next()
                }
            }
        }

        /// Stops the updates when the app releases the iterator.
        final class Loop: Sendable {
            let core: DeviceCore
            let process: Int
            let number: Int
            let mailbox: Mailbox<CLLocationUpdate>

            init?(core: DeviceCore, process: Int) {
                guard let (number, mailbox) = core.app(process, { $0.beginLoop() }) else { return nil }
                (self.core, self.process, self.number, self.mailbox) = (core, process, number, mailbox)
            }

            deinit { core.app(process) { [number] in $0.endLoop(number) } }
        }
    }
#endif
