import FencepostGEOS
import FencepostGeometry

/// What becomes of rings and lines that cross 180° of longitude: laid out without a jump, then cut there.
enum Antimeridian {
    /// A stretch along the edge of the map that is one point on the ground: drawn as it is written.
    static func isInPole(_ a: Coordinate, _ b: Coordinate) -> Bool {
        a.latitude == b.latitude && abs(a.latitude) == 90
    }

    static func hasJump(_ line: [Coordinate]) -> Bool {
        zip(line, line.dropFirst()).contains { abs($1.longitude - $0.longitude) > 180 && !isInPole($0, $1) }
    }

    /// The line with longitudes that run on: an edge that jumps more than 180° goes the short way round.
    static func unwrapped(_ line: [Coordinate]) -> [Coordinate] {
        guard hasJump(line) else { return line }
        var result = line
        var turns = 0.0
        for index in line.indices.dropFirst() {
            let jump = line[index].longitude - line[index - 1].longitude
            if abs(jump) > 180 && !isInPole(line[index - 1], line[index]) { turns -= (jump / 360).rounded() }
            result[index].longitude += 360 * turns
        }
        return result
    }

    /// The lines that remain of one when it is cut at every odd multiple of 180°, each between 180° west and east.
    static func cut(line: [Coordinate]) -> [[Coordinate]] {
        guard line.contains(where: { abs($0.longitude) > 180 }) else { return [line] }
        var parts: [[Coordinate]] = []
        var part: [Coordinate] = []
        for (a, b) in zip(line, line.dropFirst()) {
            var from = a
            while true {
                // The turn of the map in which the rest of the edge begins.
                let toEast = b.longitude >= from.longitude
                let turn =
                    toEast
                    ? ((from.longitude + 180) / 360).rounded(.down) : ((from.longitude + 180) / 360).rounded(.up) - 1
                let edge = 360 * turn + (toEast ? 180 : -180)
                if part.isEmpty { part.append(from.shifted(eastBy: -360 * turn)) }
                let ends = toEast ? b.longitude <= edge : b.longitude >= edge
                guard !ends else {
                    part.append(b.shifted(eastBy: -360 * turn))
                    break
                }
                let fraction = (edge - a.longitude) / (b.longitude - a.longitude)
                let crossing = Coordinate(
                    latitude: a.latitude + fraction * (b.latitude - a.latitude), longitude: edge)
                part.append(crossing.shifted(eastBy: -360 * turn))
                parts.append(part)
                part = []
                from = crossing
            }
            if b.longitude.remainder(dividingBy: 360).magnitude == 180 {
                // The next edge may go on in another turn.
                parts.append(part)
                part = []
            }
        }
        if !part.isEmpty { parts.append(part) }
        return parts.filter { $0.count > 1 }
    }
}
