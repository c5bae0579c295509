import FencepostGeometry

/// Point in polygon by exact arithmetic, independent of the index and of GEOS.
///
/// The orientation of three points is a sum of six products. Each product is split into two doubles without error, and
/// the sum is an exact floating-point expansion (Shewchuk 1997), so its sign is exact.
enum ExactRayCast {
    /// Whether the point is inside or on the boundary, by the even-odd rule over all rings.
    static func covers(_ shape: MultiPolygon, _ point: Coordinate) -> Bool {
        var isInside = false
        for polygon in shape.polygons {
            for ring in polygon.rings {
                for (a, b) in zip(ring.coordinates, ring.coordinates.dropFirst()) {
                    let side = orientation(a, b, point)
                    let (low, high) = a.latitude < b.latitude ? (a, b) : (b, a)
                    if side == 0, point.latitude >= low.latitude, point.latitude <= high.latitude,
                        point.longitude >= min(a.longitude, b.longitude),
                        point.longitude <= max(a.longitude, b.longitude)
                    {
                        return true
                    }
                    guard low.latitude <= point.latitude && point.latitude < high.latitude else { continue }
                    // The eastward ray crosses an upward edge if the point is on its left.
                    if orientation(low, high, point) > 0 { isInside.toggle() }
                }
            }
        }
        return isInside
    }

    /// 1 for counterclockwise, −1 for clockwise, 0 for collinear points.
    static func orientation(_ a: Coordinate, _ b: Coordinate, _ c: Coordinate) -> Int {
        let (ax, ay, bx, by, cx, cy) = (
            a.longitude, a.latitude, b.longitude, b.latitude, c.longitude, c.latitude
        )
        var expansion: [Double] = []
        for (x, y) in [(ax, by), (-ax, cy), (-cx, by), (-ay, bx), (ay, cx), (cy, bx)] {
            let product = x * y
            grow(&expansion, (-product).addingProduct(x, y))
            grow(&expansion, product)
        }
        guard let largest = expansion.last(where: { $0 != 0 }) else { return 0 }
        return largest > 0 ? 1 : -1
    }

    /// Adds a number to a nonoverlapping expansion, smallest component first.
    private static func grow(_ expansion: inout [Double], _ number: Double) {
        var carry = number
        for index in expansion.indices {
            let sum = carry + expansion[index]
            let virtual = sum - carry
            expansion[index] = (carry - (sum - virtual)) + (expansion[index] - virtual)
            carry = sum
        }
        expansion.append(carry)
    }
}
