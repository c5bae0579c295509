/// The exact side of a line that a point is on.
enum ExactOrientation {
    /// The sign of the doubled area of the triangle of an edge's start, its end and the point; 0 on the line.
    ///
    /// It is the sign that GEOS computes: wherever this function has an answer, GEOS's double-double arithmetic is
    /// exact. If the four differences are exact, each product is represented as a rounded product and its error (Dekker
    /// 1971), and rounding never reverses the order of two numbers.
    ///
    /// - Returns: `nil` where a difference is not exact, or a product could underflow or overflow.
    static func sign(
        _ a: (x: Double, y: Double), _ b: (x: Double, y: Double), _ point: (x: Double, y: Double)
    ) -> Int? {
        guard let dx = difference(b.x, a.x), let dy = difference(b.y, a.y), let ex = difference(point.x, b.x),
            let ey = difference(point.y, b.y), let left = product(dx, ey), let right = product(dy, ex)
        else { return nil }
        if left.rounded != right.rounded { return left.rounded > right.rounded ? 1 : -1 }
        return left.error == right.error ? 0 : left.error > right.error ? 1 : -1
    }

    /// `nil` where the difference is not exact, by Knuth's error term of a sum.
    private static func difference(_ a: Double, _ b: Double) -> Double? {
        let result = a - b
        let back = a - result
        return (a - (result + back)) + (back - b) == 0 ? result : nil
    }

    private static func product(_ a: Double, _ b: Double) -> (rounded: Double, error: Double)? {
        let rounded = a * b
        if a == 0 || b == 0 { return (0, 0) }
        // The error term could underflow otherwise.
        guard abs(rounded) > 1e-250 && abs(rounded) < 1e250 else { return nil }
        return (rounded, (-rounded).addingProduct(a, b))
    }
}
