#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension SwiftGeodesic {
    /// An angle as its sine and cosine, or both times a positive number.
    struct Direction {
        var sine, cosine: Double

        init(_ sine: Double, _ cosine: Double) { (self.sine, self.cosine) = (sine, cosine) }

        /// Exact at multiples of 90°.
        init(degrees: Double) {
            let quarter = (degrees / 90).rounded()
            let rest = (degrees - 90 * quarter) * .pi / 180
            let (s, c) = (sin(rest), cos(rest)) as (Double, Double)
            switch quarter.truncatingRemainder(dividingBy: 4) {
            case 0: self.init(s, c)
            case 1, -3: self.init(c, -s)
            case 2, -2: self.init(-s, -c)
            default: self.init(-c, s)
            }
        }

        /// The latitude on the auxiliary sphere.
        static func reduced(_ latitude: Double) -> Direction {
            let direction = Direction(degrees: latitude)
            var reduced = Direction(oneMinusF * direction.sine, direction.cosine).normalized
            reduced.cosine = max(tiny, reduced.cosine)
            return reduced
        }

        var normalized: Direction {
            let length = hypot(sine, cosine)
            return Direction(sine / length, cosine / length)
        }

        var radians: Double { atan2(sine, cosine) }

        /// From −180 to 180, exact at multiples of 90°.
        var degrees: Double {
            if cosine.magnitude >= sine.magnitude {
                let turn = cosine.sign == .minus ? (sine.sign == .minus ? -180.0 : 180.0) : 0
                return turn + (turn == 0 ? atan2(sine, cosine) : -atan2(sine, -cosine)) * 180 / .pi
            }
            return (sine < 0 ? -90 : 90) + (sine < 0 ? atan2(cosine, -sine) : -atan2(cosine, sine)) * 180 / .pi
        }

        func relative(to other: Direction) -> Direction {
            Direction(
                sine * other.cosine - cosine * other.sine, cosine * other.cosine + sine * other.sine)
        }
    }
}
