#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension SwiftGeodesic {
    /// Two points in canonical position: the first one in the south, the second one no farther from the equator and to the
    /// east.
    struct InverseProblem {
        let start, end: Direction
        let longitude: Direction
        /// The difference of longitudes, 0 to π.
        let radians: Double

        init(start: Direction, end: Direction, longitude: Direction, radians: Double) {
            var end = end
            // Latitudes of the same size have exactly the same direction.
            if start.cosine < -start.sine {
                if end.cosine == start.cosine { end.sine = end.sine < 0 ? start.sine : -start.sine }
            } else if end.sine.magnitude == -start.sine {
                end.cosine = start.cosine
            }
            (self.start, self.end, self.longitude, self.radians) = (start, end, longitude, radians)
        }

        typealias Solution = (distance: Double, departure: Direction, arrival: Direction)

        /// The shortest path, with its directions at the two points.
        func solve() -> Solution {
            if start.cosine <= tiny || longitude.sine == 0 { return meridian() }
            if start.sine == 0, radians <= .pi * oneMinusF {
                return (Geodesic.semiMajorAxis * radians, Direction(1, 0), Direction(1, 0))
            }
            let guess = sphere()
            return guess.short ?? search(from: guess.azimuth)
        }

        /// Along a meridian, across a pole if need be. On an oblate ellipsoid that is shortest wherever it exists.
        private func meridian() -> Solution {
            let departure = Direction(longitude.sine, longitude.cosine)
            let arrival = Direction(0, 1)
            let first = Direction(start.sine, departure.cosine * start.cosine).normalized
            let second = Direction(end.sine, arrival.cosine * end.cosine).normalized
            let arc = Self.arc(from: first, to: second)
            // A pole has any longitude.
            guard arc > tiny * 4 else { return (0, departure, arrival) }
            let line = Line(latitude: Direction(0, 1), azimuth: Direction(0, 1))
            return (b * (arc + line.integrals(from: first.radians, over: arc).excess), departure, arrival)
        }

        /// The azimuth on the auxiliary sphere, as the first guess; and the solution where points are so close that it is one.
        private func sphere() -> (azimuth: Direction, short: Solution?) {
            let difference = end.sine * start.cosine - end.cosine * start.sine
            let sum = end.sine * start.cosine + end.cosine * start.sine
            let isShort =
                end.cosine * start.cosine + end.sine * start.sine >= 0 && difference < 0.5
                && end.cosine * radians < 0.5
            var omega = longitude
            var scale = 1.0
            if isShort {
                // The ellipsoid about the middle latitude.
                var middle = (start.sine + end.sine) * (start.sine + end.sine)
                middle /= middle + (start.cosine + end.cosine) * (start.cosine + end.cosine)
                scale = (1 + secondEccentricitySquared * middle).squareRoot()
                let angle = radians / (oneMinusF * scale)
                omega = Direction(sin(angle), cos(angle))
            }
            let sagitta = omega.sine * omega.sine / (1 + omega.cosine.magnitude)
            let azimuth = Direction(
                end.cosine * omega.sine,
                omega.cosine >= 0
                    ? difference + end.cosine * start.sine * sagitta : sum - end.cosine * start.sine * sagitta)
            let arc = Direction(
                hypot(azimuth.sine, azimuth.cosine), start.sine * end.sine + start.cosine * end.cosine * omega.cosine)
            // Below about twenty centimetres.
            guard isShort, arc.sine < 3e-8 else { return (azimuth.normalized, nil) }
            guard arc.sine > 0 else { return (Direction(0, 1), (0, Direction(0, 1), Direction(0, 1))) }
            let turned = omega.cosine >= 0 ? omega.sine * omega.sine / (1 + omega.cosine) : 1 - omega.cosine
            let arrival = Direction(start.cosine * omega.sine, difference - start.cosine * end.sine * turned)
            return (azimuth, (b * scale * arc.radians, azimuth.normalized, arrival.normalized))
        }

        /// Newton's method for the departure, whose longitude grows with the azimuth; bisection where a step leaves the
        /// bracket, as it does between points that are nearly antipodal.
        private func search(from guess: Direction) -> Solution {
            var azimuth = guess
            var (low, high) = (Direction(tiny, 1), Direction(tiny, -1))
            var attempt = path(azimuth)
            for step in 0..<200 {
                let error = attempt.excess
                if error.magnitude < 4e-16 { break }
                if error > 0 { high = azimuth } else { low = azimuth }
                var next: Direction?
                if step < 20, let slope = attempt.slope, slope > 0 {
                    let turn = -error / slope
                    if turn.magnitude < .pi {
                        let (s, c) = (sin(turn), cos(turn)) as (Double, Double)
                        let moved = Direction(
                            azimuth.sine * c + azimuth.cosine * s, azimuth.cosine * c - azimuth.sine * s)
                        if moved.sine > 0, moved.isBetween(low, high) { next = moved.normalized }
                    }
                }
                let following = next ?? Direction(low.sine + high.sine, low.cosine + high.cosine).normalized
                if following.sine == azimuth.sine, following.cosine == azimuth.cosine { break }
                azimuth = following
                attempt = path(azimuth)
            }
            return (b * (attempt.arc + attempt.integrals.excess), azimuth, attempt.arrival)
        }

        private struct Attempt {
            var arc: Double
            var arrival: Direction
            var integrals: Line.Integrals
            /// How far east of the end the line meets its latitude, in radians.
            var excess: Double
            /// The derivative of that by the azimuth; `nil` where it is not known.
            var slope: Double?
        }

        /// Follows the line in a direction up to the latitude of the end.
        private func path(_ azimuth: Direction) -> Attempt {
            var azimuth = azimuth
            if start.sine == 0, azimuth.cosine == 0 { azimuth.cosine = -tiny }
            let line = Line(latitude: start, azimuth: azimuth)
            let first = line.first.normalized
            var arrival = azimuth
            let areMirrored = end.cosine == start.cosine && end.sine.magnitude == -start.sine
            if end.cosine != start.cosine { arrival.sine = line.sine0 / end.cosine }
            if areMirrored {
                arrival.cosine = azimuth.cosine.magnitude
            } else {
                let along = azimuth.cosine * start.cosine
                let between =
                    start.cosine < -start.sine
                    ? (end.cosine - start.cosine) * (start.cosine + end.cosine)
                    : (start.sine - end.sine) * (start.sine + end.sine)
                arrival.cosine = max(0, along * along + between).squareRoot() / end.cosine
            }
            let second = Direction(end.sine, arrival.cosine * end.cosine).normalized
            let arc = Self.arc(from: first, to: second)
            // Longitudes on the sphere, by the same two points.
            let omega1 = Direction(line.sine0 * start.sine, azimuth.cosine * start.cosine)
            let omega2 = Direction(line.sine0 * end.sine, arrival.cosine * end.cosine)
            var omega = omega2.relative(to: omega1)
            // Added, zero loses its sign.
            omega.sine = max(0, omega.sine) + 0
            let integrals = line.integrals(from: first.radians, over: arc)
            let excess = omega.relative(to: longitude).radians - f * line.sine0 * integrals.longitude

            let scale1 = (1 + secondEccentricitySquared * start.sine * start.sine).squareRoot()
            let scale2 = (1 + secondEccentricitySquared * end.sine * end.sine).squareRoot()
            var slope: Double?
            if arrival.cosine == 0 {
                if start.sine < 0 { slope = -2 * oneMinusF * scale1 / start.sine }
            } else {
                let reduced =
                    scale2 * first.cosine * second.sine - scale1 * first.sine * second.cosine
                    - first.cosine * second.cosine * integrals.reduced
                slope = reduced * oneMinusF / (arrival.cosine * end.cosine)
            }
            return Attempt(arc: arc, arrival: arrival, integrals: integrals, excess: excess, slope: slope)
        }

        /// The arc between two points of a line, 0 to π.
        private static func arc(from first: Direction, to second: Direction) -> Double {
            let turn = second.relative(to: first)
            return atan2(max(0, turn.sine) + 0, turn.cosine)
        }
    }
}

extension SwiftGeodesic.Direction {
    /// Whether a direction to the east is between two others, from north to south.
    fileprivate func isBetween(_ low: Self, _ high: Self) -> Bool {
        cosine * low.sine < low.cosine * sine && cosine * high.sine > high.cosine * sine
    }
}
