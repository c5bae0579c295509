import FencepostGeometry

#if !canImport(CoreLocation) || SimulatedCoreLocation
    import FencepostGeometry
    import FencepostModel
    import FencepostSimulator
    public import Foundation

    /// Time and place.
    extension SimulatedDevice {
        /// Advances the time, with the device at rest.
        public func wait(_ span: Duration) { pass(until: core.read { $0.now } + span) }

        /// Puts the device at a place at once.
        public func place(at coordinate: CLLocationCoordinate2D) {
            core.change { $0.arrive(at: coordinate.coordinate, motion: nil) }
            deliver()
        }

        /// Moves the device in a straight line to a place, fix by fix.
        ///
        /// - Parameters:
        ///   - coordinate: the destination.
        ///   - speed: metres per second, above 0; `nil` for the speed of the parameters.
        public func move(to coordinate: CLLocationCoordinate2D, speed: Double? = nil) {
            for leg in legs(to: coordinate, speed: speed) {
                pass(until: leg.time)
                arrive(leg)
            }
            stop()
        }

        /// Moves the device from each place to the next.
        public func move(along route: [CLLocationCoordinate2D], speed: Double? = nil) {
            for coordinate in route { move(to: coordinate, speed: speed) }
        }

        /// Turns the device.
        ///
        /// - Parameter degrees: the new heading, from true north.
        public func turn(to degrees: CLLocationDirection) {
            core.change { $0.turn(to: degrees) }
            deliver()
        }

        /// Makes the device detect a beacon, for apps that range beacons.
        ///
        /// To enter or leave a beacon region, perform a step: `perform(.event(ServiceEvent(.regionBeacon, .enter,
        /// identifier: "shelf")))`.
        ///
        /// - Parameters:
        ///   - uuid: the UUID that the beacon sends.
        ///   - major: the number of its group.
        ///   - minor: its number within the group.
        ///   - proximity: how near the beacon is.
        ///   - accuracy: the accuracy of the proximity, in metres.
        public func detect(
            beacon uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, proximity: CLProximity,
            accuracy: CLLocationAccuracy
        ) {
            core.change { state in
                let beacon = CLBeacon(
                    uuid: uuid, major: major, minor: minor, proximity: proximity, accuracy: accuracy,
                    timestamp: state.date)
                state.lastBeacon = beacon
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

        /// The fixes of a move.
        private func legs(to coordinate: CLLocationCoordinate2D, speed: Double?) -> [Leg] {
            let (from, start, numbers) = core.read { ($0.movement.place, $0.now, $0.parameters) }
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
                let time = start + .milliseconds(Int64(clamped: (gone / pace * 1000).rounded()))
                legs.append(Leg(time: time, place: place, motion: (pace, azimuth)))
            }
            return legs
        }

        private func stop() { core.change { $0.movement.motion = nil } }

        private var expectedLoops: Int { core.read { $0.expectedLoops } }
        private var process: Int { core.read { $0.process } }

        /// Runs the app's tasks before the time advances. A process that was just launched gets more turns, to begin
        /// its loops.
        private nonisolated(nonsending) func catchUp(since process: Int) async {
            _ = await settle(loops: self.process == process ? 0 : expectedLoops, turns: 2000)
        }
    }

    /// The asynchronous variants: after each event of a move or a wait, the app's tasks run before the next event.
    extension SimulatedDevice {
        /// Advances the time, with the device at rest. The app's tasks run after each event.
        public nonisolated(nonsending) func wait(_ span: Duration) async {
            await pass(until: Timestamp(now) + span)
        }

        /// Moves the device in a straight line to a place, fix by fix. The app's tasks run after each fix.
        ///
        /// - Parameters:
        ///   - coordinate: the destination.
        ///   - speed: metres per second, above 0; `nil` for the speed of the parameters.
        public nonisolated(nonsending) func move(to coordinate: CLLocationCoordinate2D, speed: Double? = nil) async {
            for leg in legs(to: coordinate, speed: speed) {
                await pass(until: leg.time)
                let before = process
                arrive(leg)
                await catchUp(since: before)
            }
            stop()
        }

        /// Moves the device from each place to the next. The app's tasks run after each fix.
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
