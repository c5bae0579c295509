#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostSimulator
    import Foundation

    /// Keeps the app in use in the background, from the foreground on, while the app holds it (PLAT-03).
    public final class CLBackgroundActivitySession: Sendable {
        private let held: HeldHandle

        /// Begins the session. It counts only if the app is in the foreground, or takes it again after a launch.
        public init() { held = HeldHandle(.backgroundActivitySession) }

        deinit { held.end() }

        /// Ends the session.
        public func invalidate() { held.end() }

        /// What prevents the session from its effect: the state at the start, and every change. Empty before iOS 18.
        public var diagnostics: Diagnostics { Diagnostics(mailbox: held.diagnostics) }

        /// The flags that report what prevents the session from its effect.
        public struct Diagnostic: Sendable {
            let flags: Set<String>

            /// Whether the user has refused location to the app.
            public var authorizationDenied: Bool { flags.contains("authorizationDenied") }
            /// Whether Location Services are off for the whole device.
            public var authorizationDeniedGlobally: Bool { flags.contains("authorizationDeniedGlobally") }
            /// Whether the device's administrator restricts location.
            public var authorizationRestricted: Bool { flags.contains("authorizationRestricted") }
            /// Whether a prompt is on screen.
            public var authorizationRequestInProgress: Bool { flags.contains("authorizationRequestInProgress") }
            /// Whether the session was begun in the background, with none to take again.
            public var insufficientlyInUse: Bool { flags.contains("insufficientlyInUse") }
            /// Whether the app declares explicit service sessions and holds none.
            public var serviceSessionRequired: Bool { flags.contains("serviceSessionRequired") }
        }

        /// The sequence of the session's diagnostics.
        public struct Diagnostics: AsyncSequence, Sendable {
            /// One diagnostic.
            public typealias Element = Diagnostic

            let mailbox: Mailbox<Set<String>>?

            /// Makes the iterator. A session supports one iterator at a time.
            public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

            /// Iterates the diagnostics.
            public struct Iterator: AsyncIteratorProtocol {
                let mailbox: Mailbox<Set<String>>?

                /// The next diagnostic; `nil` when the session or the process ends.
                public mutating func next() async throws -> Diagnostic? {
                    await mailbox?.next().map { Diagnostic(flags: $0) }
                }
            }
        }
    }

    /// States the level of location that the app wants, while the app holds it. The system shows prompts when it can
    /// (SESS-01).
    public final class CLServiceSession: Sendable {
        /// The level that the app wants.
        public enum AuthorizationRequirement: Int, Sendable, Hashable { case none = 0, whenInUse, always }

        private let held: HeldHandle

        /// Begins a session for a level.
        public convenience init(authorization: AuthorizationRequirement) {
            self.init(authorization, nil)
        }

        /// Begins a session for a level and for full accuracy, with the purpose key of its text in the Info.plist.
        public convenience init(authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String) {
            self.init(authorization, fullAccuracyPurposeKey)
        }

        private init(_ authorization: AuthorizationRequirement, _ key: String?) {
            let goal: Session.Goal =
                switch authorization {
                case .none: .none
                case .whenInUse: .whenInUse
                case .always: .always
                }
            held = HeldHandle(.serviceSession(goal, fullAccuracyPurposeKey: key))
        }

        deinit { held.end() }

        /// Ends the session.
        public func invalidate() { held.end() }

        /// What prevents the level: the state at the start, and every change.
        public var diagnostics: Diagnostics { Diagnostics(mailbox: held.diagnostics) }

        /// The flags that report what prevents the level (SESS-07).
        public struct Diagnostic: Sendable {
            let flags: Set<String>

            /// Whether the user has refused location to the app.
            public var authorizationDenied: Bool { flags.contains("authorizationDenied") }
            /// Whether Location Services are off for the whole device.
            public var authorizationDeniedGlobally: Bool { flags.contains("authorizationDeniedGlobally") }
            /// Whether the device's administrator restricts location.
            public var authorizationRestricted: Bool { flags.contains("authorizationRestricted") }
            /// Whether the user has refused Always.
            public var alwaysAuthorizationDenied: Bool { flags.contains("alwaysAuthorizationDenied") }
            /// Whether the user has refused full accuracy.
            public var fullAccuracyDenied: Bool { flags.contains("fullAccuracyDenied") }
            /// Whether the app is not in use as the service requires.
            public var insufficientlyInUse: Bool { flags.contains("insufficientlyInUse") }
            /// Whether a prompt is on screen.
            public var authorizationRequestInProgress: Bool { flags.contains("authorizationRequestInProgress") }
            /// Whether the app declares explicit service sessions and holds none.
            public var serviceSessionRequired: Bool { flags.contains("serviceSessionRequired") }
        }

        /// The sequence of the session's diagnostics.
        public struct Diagnostics: AsyncSequence, Sendable {
            /// One diagnostic.
            public typealias Element = Diagnostic

            let mailbox: Mailbox<Set<String>>?

            /// Makes the iterator. A session supports one iterator at a time.
            public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

            /// Iterates the diagnostics.
            public struct Iterator: AsyncIteratorProtocol {
                let mailbox: Mailbox<Set<String>>?

                /// The next diagnostic; `nil` when the session or the process ends.
                public mutating func next() async throws -> Diagnostic? {
                    await mailbox?.next().map { Diagnostic(flags: $0) }
                }
            }
        }
    }

    /// The common part of both kinds of sessions. A session of an ended process stays outstanding, so that the next
    /// launch can take it again.
    private struct HeldHandle: Sendable {
        let core: DeviceCore
        let process: Int
        let number: Int?
        let diagnostics: Mailbox<Set<String>>?

        init(_ session: Session) {
            core = DeviceCore.forApp()
            process = core.read { $0.process }
            let begun = core.app(process) { $0.beginSession(session) }
            (number, diagnostics) = (begun?.0, begun?.1)
        }

        func end() {
            guard let number else { return }
            core.app(process) { $0.endSession(number) }
        }
    }
#endif
