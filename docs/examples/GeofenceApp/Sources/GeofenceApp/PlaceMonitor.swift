// Macs have monitors, but no sessions (PLAT-22).
#if !os(macOS)
    public import FencepostCoreLocation

    /// The place diary on the newer interfaces: a monitor in place of regions, sessions in place of requests, and live
    /// updates in place of a delegate.
    @available(iOS 18, macCatalyst 18, visionOS 2, *)
    @MainActor public final class PlaceMonitor {
        public enum Entry: Equatable { case left(String), reached(String) }

        public private(set) var entries: [Entry] = []
        /// The positions of a walk. While the device rests the system pauses the loop, so there are none.
        public private(set) var walk: [CLLocationCoordinate2D] = []
        /// Why the loop over live updates gives no position; `nil` while it does.
        public private(set) var obstacle: String?

        private let office: CLLocationCoordinate2D
        private var service: CLServiceSession?
        private var background: CLBackgroundActivitySession?
        private var updates: Task<Void, Never>?

        /// Create it at every launch, also in the background, before anything that takes time: the system remembers an
        /// outstanding session for seconds only (RELAUNCH-14), and events come while a loop waits for them (MON-16).
        ///
        /// - Parameters:
        ///   - office: the place.
        ///   - keepsWhileClosed: whether the user wanted the diary to go on while the app is closed. The app stores it.
        public init(office: CLLocationCoordinate2D, keepsWhileClosed: Bool) {
            self.office = office
            if keepsWhileClosed { service = CLServiceSession(authorization: .always) }
            Task { await self.watch() }
        }

        /// Opens the diary. The session asks the user, and asks again whenever that is possible; no request is needed.
        public func open() {
            if service == nil { service = CLServiceSession(authorization: .whenInUse) }
        }

        /// The user wants the diary to go on while the app is closed.
        public func keepWhileClosed() { service = CLServiceSession(authorization: .always) }

        private func watch() async {
            // A name has letters and digits only (MON-21).
            let monitor = await CLMonitor("placediary")
            // Adding a condition under an identifier that exists is ignored on newer systems (MON-11).
            if await monitor.record(for: "office") == nil {
                let circle = CLMonitor.CircularGeographicCondition(center: office, radius: 200)
                await monitor.add(circle, identifier: "office", assuming: .unknown)
            }
            do {
                for try await event in await monitor.events {
                    switch event.state {
                    case .satisfied: record(.reached(event.identifier))
                    case .unsatisfied: record(.left(event.identifier))
                    case .unknown, .unmonitored: continue
                    @unknown default: continue
                    }
                }
            } catch {
                obstacle = "\(error)"
            }
        }

        /// Devices deliver an event more than once (MON-14), and repeat the current state at a launch (MON-15).
        private func record(_ entry: Entry) {
            if entries.last != entry { entries.append(entry) }
        }

        /// Begins to follow a walk, also in the background. The app has to be on screen (PLAT-03).
        public func startWalk() {
            background = CLBackgroundActivitySession()
            updates = Task { await self.follow() }
        }

        private func follow() async {
            do {
                for try await update in CLLocationUpdate.liveUpdates(.fitness) {
                    obstacle =
                        update.authorizationDenied
                        ? "not allowed" : update.insufficientlyInUse ? "not in use" : nil
                    if let location = update.location { walk.append(location.coordinate) }
                }
            } catch {
                obstacle = "\(error)"
            }
        }

        /// Ends the walk. A session ends for certain only with this call (LIVE-04).
        public func endWalk() {
            updates?.cancel()
            background?.invalidate()
            (updates, background) = (nil, nil)
        }
    }
#endif
