#if !canImport(CoreLocation)
    import FencepostGeometry
    import FencepostModel
    import FencepostSimulator
    public import Foundation

    /// Time and place.
    extension SimulatedDevice {
        /// Lets time pass with the device at rest.
        public func wait(_ span: Duration) { pass(until: core.read { $0.now } + span) }

        /// Puts the device at a place at once.
        public func place(at coordinate: CLLocationCoordinate2D) {
            core.change { $0.arrive(at: coordinate.coordinate, motion: nil) }
            deliver()
        }

        /// Takes the device straight to a place, fix by fix.
        ///
        /// - Parameter speed: metres per second, above 0; by default that of the parameters.
        public func move(to coordinate: CLLocationCoordinate2D, speed: Double? = nil) {
            for leg in legs(to: coordinate, speed: speed) {
                pass(until: leg.time)
                arrive(leg)
            }
            rest()
        }

        /// Takes the device from each place to the next.
        public func move(along route: [CLLocationCoordinate2D], speed: Double? = nil) {
            for coordinate in route { move(to: coordinate, speed: speed) }
        }

        /// Turns the device.
        ///
        /// - Parameter degrees: the heading, from true north.
        public func turn(to degrees: CLLocationDirection) {
            core.change { $0.turn(to: degrees) }
            deliver()
        }

        /// Has the device hear a beacon, for apps that range it.
        ///
        /// To have it come into a beacon region or leave it, take a step:
        /// `perform(.event(ServiceEvent(.regionBeacon, .enter, identifier: "shelf")))`.
        ///
        /// - Parameter accuracy: metres.
        public func hear(
            beacon uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, proximity: CLProximity,
            accuracy: CLLocationAccuracy
        ) {
            core.change { state in
                let beacon = CLBeacon(
                    uuid: uuid, major: major, minor: minor, proximity: proximity, accuracy: accuracy,
                    timestamp: state.date)
                state.perform(.event(ServiceEvent(.beaconRanging, .update)), payload: .beacons([beacon]))
            }
            deliver()
        }

        private func pass(until end: Timestamp) {
            while !advance(until: end) {}
        }

        private func advance(until end: Timestamp) -> Bool {
            defer { deliver() }
            return core.change { $0.advance(until: end) }
        }

        private func arrive(_ leg: Leg) {
            core.change { $0.arrive(at: leg.place, motion: leg.motion) }
            deliver()
        }

        private struct Leg {
            var time: Timestamp
            var place: Coordinate
            var motion: (speed: Double, course: Double)?
        }

        /// The fixes on the way.
        private func legs(to coordinate: CLLocationCoordinate2D, speed: Double?) -> [Leg] {
            let (from, start, numbers) = core.read { ($0.walk.place, $0.now, $0.parameters) }
            let to = coordinate.coordinate
            guard let from else { return [Leg(time: start, place: to)] }
            let pace = speed ?? numbers.speed
            precondition(pace > 0, "A move needs a speed above 0.")
            let distance = Geodesic.distance(from, to)
            let course = Geodesic.azimuth(from: from, to: to)
            let azimuth = course < 0 ? course + 360 : course
            let step = pace * numbers.fixInterval.seconds
            var legs: [Leg] = []
            var gone = 0.0
            while gone < distance {
                gone = min(gone + step, distance)
                let place = gone < distance ? Geodesic.destination(from: from, azimuth: azimuth, distance: gone) : to
                let time = start + .milliseconds(Int64((gone / pace * 1000).rounded()))
                legs.append(Leg(time: time, place: place, motion: (pace, azimuth)))
            }
            return legs
        }

        private func rest() { core.change { $0.walk.motion = nil } }

        private var expectedLoops: Int { core.read { $0.expectedLoops } }
        private var process: Int { core.read { $0.process } }

        /// Gives the app's tasks their turns before time goes on; an app just launched gets more, to begin its loops.
        private nonisolated(nonsending) func catchUp(since process: Int) async {
            _ = await settle(loops: self.process == process ? 0 : expectedLoops, turns: 2000)
        }
    }

    /// For tests that wait: whatever happens on the way, the app's tasks get their turns before the next.
    extension SimulatedDevice {
        public nonisolated(nonsending) func wait(_ span: Duration) async {
            await pass(until: Timestamp(now) + span)
        }

        public nonisolated(nonsending) func move(to coordinate: CLLocationCoordinate2D, speed: Double? = nil) async {
            for leg in legs(to: coordinate, speed: speed) {
                await pass(until: leg.time)
                let before = process
                arrive(leg)
                await catchUp(since: before)
            }
            rest()
        }

        public nonisolated(nonsending) func move(
            along route: [CLLocationCoordinate2D], speed: Double? = nil
        ) async {
            for coordinate in route { await move(to: coordinate, speed: speed) }
        }

        private nonisolated(nonsending) func pass(until end: Timestamp) async {
            var isOver = false
            while !isOver {
                let before = process
                isOver = advance(until: end)
                await catchUp(since: before)
            }
        }
    }
#endif
