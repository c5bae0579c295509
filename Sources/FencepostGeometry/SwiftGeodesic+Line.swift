#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension SwiftGeodesic {
    /// A geodesic by its azimuth at the equator.
    struct Line {
        /// Of the azimuth where the line crosses the equator northward.
        let sine0, cosine0: Double
        /// The arc from the equator to the point that defines the line; not normalized.
        let first: Direction
        let kSquared: Double

        /// - Parameters:
        ///   - latitude: the reduced latitude of a point.
        ///   - azimuth: the direction of the line there.
        init(latitude: Direction, azimuth: Direction) {
            sine0 = azimuth.sine * latitude.cosine
            cosine0 = hypot(azimuth.cosine, azimuth.sine * latitude.sine)
            first = Direction(latitude.sine, azimuth.cosine * latitude.cosine)
            kSquared = cosine0 * cosine0 * secondEccentricitySquared
        }

        struct Integrals {
            /// The length in units of the polar radius, less the arc.
            var excess = 0.0
            /// The integral of equation 8.
            var longitude = 0.0
            /// The integral J of the reduced length, equation 40.
            var reduced = 0.0

            fileprivate mutating func add(_ sine: Double, _ weight: Double, _ kSquared: Double) {
                let x = kSquared * sine * sine
                let root = (1 + x).squareRoot()
                excess += weight * x / (1 + root)
                longitude += weight * (2 - f) / (1 + oneMinusF * root)
                reduced += weight * x / root
            }
        }

        /// The integrals over an arc of at most half a turn, in radians.
        func integrals(from start: Double, over arc: Double) -> Integrals {
            var sum = Integrals()
            let (middle, half) = (start + arc / 2, arc / 2)
            for (node, weight) in Quadrature.rule {
                sum.add(sin(middle - half * node), weight, kSquared)
                sum.add(sin(middle + half * node), weight, kSquared)
            }
            return Integrals(excess: half * sum.excess, longitude: half * sum.longitude, reduced: half * sum.reduced)
        }

        /// The arc to a distance in units of the polar radius: a whole number of half turns, and the rest in radians.
        func arc(from start: Direction, distance: Double) -> (halfTurns: Double, rest: Double) {
            let halfTurn = .pi + integrals(from: 0, over: .pi).excess
            let halfTurns = (distance / halfTurn).rounded(.towardZero)
            let length = distance - halfTurns * halfTurn
            let sigma = start.radians
            var arc = length * .pi / halfTurn
            for _ in 0..<6 {
                let sine: Double = sin(sigma + arc)
                let error = arc + integrals(from: sigma, over: arc).excess - length
                let step = error / (1 + kSquared * sine * sine).squareRoot()
                arc -= step
                if step.magnitude < 1e-15 { break }
            }
            return (halfTurns, arc)
        }
    }

    /// The nodes above zero and the weights of Gauss's quadrature with sixteen points on −1 to 1.
    private enum Quadrature {
        static let rule: [(node: Double, weight: Double)] = (1...8).map { index in
            let count = 16.0
            var x: Double = cos(.pi * (Double(index) - 0.25) / (count + 0.5))
            var derivative = 0.0
            for _ in 0..<10 {
                var (last, value) = (1.0, x)
                for degree in 2...16 {
                    let n = Double(degree)
                    (last, value) = (value, ((2 * n - 1) * x * value - (n - 1) * last) / n)
                }
                derivative = count * (x * value - last) / (x * x - 1)
                x -= value / derivative
            }
            return (x, 2 / ((1 - x * x) * derivative * derivative))
        }
    }
}
