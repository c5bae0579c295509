#if !canImport(CoreLocation)
    import FencepostSimulator

    /// One turn of a loop over live updates: a fix, or what stands in the way of one.
    public struct CLLocationUpdate: Sendable {
        public let location: CLLocation?
        var flags: Set<String> = []

        init(location: CLLocation?, flags: Set<String> = []) {
            self.location = location
            self.flags = flags
        }

        /// Whether this is the last for as long as the device rests.
        public var stationary: Bool { flags.contains("stationary") }
        /// The name of `stationary` in iOS 17.
        public var isStationary: Bool { stationary }
        public var authorizationDenied: Bool { flags.contains("authorizationDenied") }
        public var authorizationDeniedGlobally: Bool { flags.contains("authorizationDeniedGlobally") }
        public var authorizationRestricted: Bool { flags.contains("authorizationRestricted") }
        public var authorizationRequestInProgress: Bool { flags.contains("authorizationRequestInProgress") }
        public var accuracyLimited: Bool { flags.contains("accuracyLimited") }
        public var insufficientlyInUse: Bool { flags.contains("insufficientlyInUse") }
        public var locationUnavailable: Bool { flags.contains("locationUnavailable") }
        public var serviceSessionRequired: Bool { flags.contains("serviceSessionRequired") }

        @nonexhaustive(warn) public enum LiveConfiguration: Int, Sendable, Hashable {
            case `default` = 0
            case automotiveNavigation, otherNavigation, fitness, airborne
        }

        /// Updates for as long as they are iterated; the loop ends when the app is terminated.
        public static func liveUpdates(_ configuration: LiveConfiguration = .default) -> Updates {
            let core = DeviceCore.forApp()
            return Updates(core: core, process: core.read { $0.process })
        }

        public struct Updates: AsyncSequence, Sendable {
            public typealias Element = CLLocationUpdate

            let core: DeviceCore
            let process: Int

            public func makeAsyncIterator() -> Iterator { Iterator(core: core, process: process) }

            public struct Iterator: AsyncIteratorProtocol {
                let core: DeviceCore
                let process: Int
                private var loop: Loop?

                init(core: DeviceCore, process: Int) { (self.core, self.process) = (core, process) }

                public mutating func next() async throws -> CLLocationUpdate? {
                    if loop == nil { loop = Loop(core: core, process: process) }
                    return await loop?.mailbox.next()
                }
            }
        }

        /// Stops the updates when the loop lets go of its iterator.
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
