internal import FencepostGeometry

/// Removes points of a line that do not change its course (Ramer, Douglas and Peucker).
enum LineSimplifier {
    /// `tolerance`: the largest distance in metres of a removed point from the line.
    static func simplified(_ line: [Coordinate], tolerance: Double) -> [Coordinate] {
        guard line.count > 2 else { return line }
        var keeps = [Bool](repeating: false, count: line.count)
        (keeps[0], keeps[line.count - 1]) = (true, true)
        var pending = [(0, line.count - 1)]
        while let (first, last) = pending.popLast() {
            guard last - first > 1 else { continue }
            let plane = LocalPlane(origin: line[first])
            let end = plane.project(line[last])
            let length = (end.east * end.east + end.north * end.north)
            var (farthest, index) = (tolerance, -1)
            for candidate in (first + 1)..<last {
                let point = plane.project(line[candidate])
                let along =
                    length > 0
                    ? min(max((point.east * end.east + point.north * end.north) / length, 0), 1) : 0
                let (dx, dy) = (point.east - along * end.east, point.north - along * end.north)
                let distance = (dx * dx + dy * dy).squareRoot()
                if distance > farthest { (farthest, index) = (distance, candidate) }
            }
            guard index > 0 else { continue }
            keeps[index] = true
            pending += [(first, index), (index, last)]
        }
        return zip(line, keeps).filter(\.1).map(\.0)
    }
}
