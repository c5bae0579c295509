#if !canImport(CoreLocation)
    import FencepostSimulator
    import Foundation

    /// Keeps the app in use in the background, from the foreground on, for as long as it is held.
    public final class CLBackgroundActivitySession: Sendable {
        private let held: HeldHandle

        public init() { held = HeldHandle(.backgroundActivitySession) }

        deinit { held.end() }

        public func invalidate() { held.end() }
    }

    /// Says what the app wants to do with location, for as long as it is held; the system asks when it can.
    public final class CLServiceSession: Sendable {
        public enum AuthorizationRequirement: Int, Sendable, Hashable { case none = 0, whenInUse, always }

        private let held: HeldHandle

        public convenience init(authorization: AuthorizationRequirement) {
            self.init(authorization, nil)
        }

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

        public func invalidate() { held.end() }

        /// What stands in the way of the goal: at first, and after every change.
        public var diagnostics: Diagnostics { Diagnostics(mailbox: held.diagnostics) }

        public struct Diagnostic: Sendable {
            let flags: Set<String>

            public var authorizationDenied: Bool { flags.contains("authorizationDenied") }
            public var authorizationDeniedGlobally: Bool { flags.contains("authorizationDeniedGlobally") }
            public var authorizationRestricted: Bool { flags.contains("authorizationRestricted") }
            public var alwaysAuthorizationDenied: Bool { flags.contains("alwaysAuthorizationDenied") }
            public var fullAccuracyDenied: Bool { flags.contains("fullAccuracyDenied") }
            public var insufficientlyInUse: Bool { flags.contains("insufficientlyInUse") }
            public var authorizationRequestInProgress: Bool { flags.contains("authorizationRequestInProgress") }
            public var serviceSessionRequired: Bool { flags.contains("serviceSessionRequired") }
        }

        public struct Diagnostics: AsyncSequence, Sendable {
            public typealias Element = Diagnostic

            let mailbox: Mailbox<Diagnostic>?

            public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox) }

            public struct Iterator: AsyncIteratorProtocol {
                let mailbox: Mailbox<Diagnostic>?

                public mutating func next() async throws -> Diagnostic? { await mailbox?.next() }
            }
        }
    }

    /// What the two kinds of session have in common. Of a process that is gone it ends nothing: the session stays
    /// outstanding, for the next launch to take again.
    private struct HeldHandle: Sendable {
        let core: DeviceCore
        let process: Int
        let number: Int?
        let diagnostics: Mailbox<CLServiceSession.Diagnostic>?

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
