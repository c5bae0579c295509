import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostRegions

/// The true crossings and visits of a journey, and which of them its fixes show.
struct GeneratorTruth {
    let device: DeviceID
    let plane: LocalPlane
    let start: Timestamp
    /// The end of the recording, in seconds since its start.
    let end: Double
    /// In time order.
    let fixes: [Location]

    private func moment(_ seconds: Double) -> Timestamp { start + .milliseconds(Int64(seconds * 1000)) }

    private func coordinate(_ point: PlanePoint) -> Coordinate { plane.unproject(east: point.east, north: point.north) }

    // MARK: Visits

    /// A stay is required when it lasts at least ten minutes, a fix shows it, and the uncertainty of its ends is less
    /// than its duration.
    func stays(of journey: GeneratorJourney) -> [Benchmark.Stay] {
        journey.stays.enumerated().map { index, stay in
            let center = coordinate(stay.site.point)
            let (arrival, departure) = (moment(stay.arrival), moment(stay.departure))
            let near = LocalPlane(origin: center)
            let radius = stay.site.radius + 80
            let shown = fixes.filter {
                $0.timestamp >= arrival && $0.timestamp <= departure
                    && near.distance(to: $0.coordinate) <= max(radius, 1.5 * min($0.horizontalAccuracy ?? 30, 100))
            }
            let isOpenAtStart = stay.arrival <= 0
            let isOpenAtEnd = stay.departure >= end
            var isDatable = false
            if let first = shown.first, let last = shown.last {
                let before = fixes.last { $0.timestamp < arrival }?.timestamp
                let after = fixes.first { $0.timestamp > departure }?.timestamp
                // The time between the last fix elsewhere and the first fix here can belong to either.
                let open =
                    (isOpenAtStart ? 0 : (before.map { min(first.timestamp - $0, arrival - $0) } ?? .zero).seconds)
                    + (isOpenAtEnd ? 0 : (after.map { min($0 - last.timestamp, $0 - departure) } ?? .zero).seconds)
                isDatable = open < 0.8 * (stay.departure - stay.arrival)
                // No later fix shows that the device stayed.
                if isOpenAtEnd, last.timestamp - arrival < .seconds(600) { isDatable = false }
            }
            return Benchmark.Stay(
                device: device, id: "\(device)-\(index + 1)", arrival: arrival, departure: departure,
                coordinate: center, isRequired: stay.departure - stay.arrival >= 600 && isDatable,
                isOpenAtStart: isOpenAtStart, isOpenAtEnd: isOpenAtEnd)
        }
    }

    // MARK: Crossings

    /// The time spent on one side of a boundary, in seconds since the start.
    private struct Side {
        var isInside: Bool
        var begin, end: Double
        /// Maximum distance from the boundary in metres, up to 60 m.
        var depth: Double
        /// Time of the first fix that shows it, and whether enough fixes do.
        var observable: Timestamp?
        var isShown = false
    }

    /// All crossings of all regions by the true path, to the second.
    func crossings(of journey: GeneratorJourney, _ query: inout RegionQuery) throws(GEOSError) -> [Benchmark.Crossing] {
        var sides: [RegionHandle: [Side]] = [:]
        var cursor = JourneyCursor(journey)
        var near: [Proximity] = []
        var time = 0.0
        while time <= end {
            let (point, speed) = cursor.at(time)
            try query.near(coordinate(point), within: 60, into: &near)
            let touched = Set(near.map(\.region))
            for item in near {
                extend(
                    &sides[item.region, default: []], isInside: item.covers, depth: min(abs(item.signedDistance), 60),
                    at: time)
            }
            for handle in sides.keys where !touched.contains(handle) {
                extend(&sides[handle, default: []], isInside: false, depth: 60, at: time)
            }
            // At rest the position does not change until the next step.
            time = speed < 0.05 ? max(time + 1, cursor.nextChange(after: time)) : time + 1
        }
        var crossings: [Benchmark.Crossing] = []
        for handle in sides.keys.sorted() {
            guard var list = sides[handle], let region = query.index.catalog[handle] else { continue }
            list[list.count - 1].end = end
            try mark(&list, handle, &query)
            crossings += self.crossings(list, region.id)
        }
        return crossings
    }

    private func extend(_ sides: inout [Side], isInside: Bool, depth: Double, at time: Double) {
        if sides.isEmpty, time > 0 {
            sides.append(Side(isInside: false, begin: 0, end: time, depth: 60))
        }
        if let last = sides.indices.last {
            sides[last].end = time
            if sides[last].isInside == isInside {
                sides[last].depth = max(sides[last].depth, depth)
                return
            }
        }
        sides.append(Side(isInside: isInside, begin: time, end: time, depth: depth))
    }

    /// Marks the sides that fixes show: two fixes with an accuracy of 100 m, or a certain one.
    private func mark(_ sides: inout [Side], _ handle: RegionHandle, _ query: inout RegionQuery) throws(GEOSError) {
        var near: [Proximity] = []
        var index = 0
        for fix in fixes {
            while index < sides.count, fix.timestamp > moment(sides[index].end) { index += 1 }
            guard index < sides.count else { return }
            guard !sides[index].isShown, fix.timestamp >= moment(sides[index].begin) else { continue }
            let accuracy = fix.horizontalAccuracy ?? 30
            guard accuracy <= 100 else { continue }
            try query.near(fix.coordinate, within: 150, into: &near)
            let proximity = near.first { $0.region == handle }
            guard (proximity?.covers ?? false) == sides[index].isInside else { continue }
            let depth = abs(proximity?.signedDistance ?? .infinity)
            if sides[index].observable != nil || (accuracy <= 20 && depth > 2 * accuracy) {
                sides[index].isShown = true
            }
            if sides[index].observable == nil { sides[index].observable = fix.timestamp }
        }
    }

    /// All crossings. Those between sides that are long and deep enough and shown by fixes are required, with their
    /// bounds.
    private func crossings(_ sides: [Side], _ region: RegionID) -> [Benchmark.Crossing] {
        func counts(_ side: Side) -> Bool { side.end - side.begin >= 45 && side.depth >= 15 && side.isShown }
        var result: [Benchmark.Crossing] = []
        var last: Int?
        for (index, side) in sides.enumerated() {
            var isRequired = false
            var earliest: Timestamp?
            if counts(side) {
                if let last, sides[last].isInside != side.isInside {
                    isRequired = true
                    earliest = moment(sides[last].end)
                }
                last = index
            }
            // A start inside is an optional entry.
            guard index > 0 || side.isInside else { continue }
            result.append(
                Benchmark.Crossing(
                    device: device, region: region, isEntry: side.isInside, timestamp: moment(side.begin),
                    isRequired: isRequired, earliest: earliest, observableAt: isRequired ? side.observable : nil))
        }
        // A required crossing can be detected until the next required one, an optional one until the next of any kind.
        var next = moment(end)
        var nextRequired = moment(end)
        for index in result.indices.reversed() {
            result[index].until = result[index].isRequired ? nextRequired : next
            next = result[index].timestamp
            if result[index].isRequired { nextRequired = result[index].timestamp }
        }
        return result
    }
}
