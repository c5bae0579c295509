import FencepostGEOS
import FencepostGeometry

/// Rings and lines that cross 180° of longitude: unwraps them to continuous longitudes and splits them there.
enum Antimeridian {
    /// Whether an edge lies in a pole: one point on the ground, so it is used as written.
    static func isInPole(_ a: Coordinate, _ b: Coordinate) -> Bool {
        a.latitude == b.latitude && a.latitude.magnitude == 90
    }

    static func hasJump(_ line: [Coordinate]) -> Bool {
        zip(line, line.dropFirst()).contains { ($1.longitude - $0.longitude).magnitude > 180 && !isInPole($0, $1) }
    }

    /// The line with continuous longitudes: an edge with a jump of more than 180° takes the short way.
    static func unwrapped(_ line: [Coordinate]) -> [Coordinate] {
        guard hasJump(line) else { return line }
        var result = line
        var wraps = 0.0
        for index in line.indices.dropFirst() {
            let jump = line[index].longitude - line[index - 1].longitude
            if jump.magnitude > 180 && !isInPole(line[index - 1], line[index]) { wraps -= (jump / 360).rounded() }
            result[index].longitude += 360 * wraps
        }
        return result
    }

    /// Splits a line at every odd multiple of 180°; each part lies between 180° west and 180° east.
    static func split(line: [Coordinate]) -> [[Coordinate]] {
        guard line.contains(where: { $0.longitude.magnitude > 180 }) else { return [line] }
        var parts: [[Coordinate]] = []
        var part: [Coordinate] = []
        for (a, b) in zip(line, line.dropFirst()) {
            var from = a
            while true {
                // The number of full turns around the earth at the start of the rest of the edge.
                let toEast = b.longitude >= from.longitude
                let wrap =
                    toEast
                    ? ((from.longitude + 180) / 360).rounded(.down) : ((from.longitude + 180) / 360).rounded(.up) - 1
                let edge = 360 * wrap + (toEast ? 180 : -180)
                if part.isEmpty { part.append(from.shifted(eastBy: -360 * wrap)) }
                let ends = toEast ? b.longitude <= edge : b.longitude >= edge
                guard !ends else {
                    part.append(b.shifted(eastBy: -360 * wrap))
                    break
                }
                let fraction = (edge - a.longitude) / (b.longitude - a.longitude)
                let crossing = Coordinate(
                    latitude: a.latitude + fraction * (b.latitude - a.latitude), longitude: edge)
                part.append(crossing.shifted(eastBy: -360 * wrap))
                parts.append(part)
                part = []
                from = crossing
            }
            if b.longitude.remainder(dividingBy: 360).magnitude == 180 {
                // The next edge may continue in another turn.
                parts.append(part)
                part = []
            }
        }
        if !part.isEmpty { parts.append(part) }
        return parts.filter { $0.count > 1 }
    }
}
