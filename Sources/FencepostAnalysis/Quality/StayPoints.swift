import FencepostGeometry
public import FencepostModel

/// Naive stay-point detection, as a baseline: the fixes after an anchor fix that are within a distance of it are a stay
/// point if their time span is long enough.
///
/// Source: Li, Zheng, Xie, Chen, Liu, Ma: Mining user similarity based on location history, ACM GIS 2008.
public struct StayPoints: Sendable {
    /// Maximum distance from the anchor in metres.
    public var distance = 200.0
    /// Minimum time span.
    public var time = Duration.seconds(1200)

    /// The thresholds 200 m and 20 min.
    public init() {}

    /// The visits in the fixes of all devices, detected with the first fix outside.
    public func events(in locations: [Location]) -> [Event] {
        var events: [Event] = []
        for (device, fixes) in Dictionary(grouping: locations, by: \.deviceID) {
            let sorted = fixes.sorted { $0.timestamp < $1.timestamp }
            var anchor = 0
            while anchor < sorted.count {
                var end = anchor + 1
                while end < sorted.count,
                    Geodesic.distance(sorted[anchor].coordinate, sorted[end].coordinate) <= distance
                {
                    end += 1
                }
                let leaving = sorted[min(end, sorted.count - 1)].timestamp
                if leaving - sorted[anchor].timestamp >= time {
                    events.append(event(device, sorted[anchor..<end], until: leaving))
                    anchor = end
                } else {
                    anchor += 1
                }
            }
        }
        return events
    }

    private func event(_ device: DeviceID, _ fixes: ArraySlice<Location>, until leaving: Timestamp) -> Event {
        let count = Double(fixes.count)
        let first = fixes[fixes.startIndex]
        let plane = LocalPlane(origin: first.coordinate)
        let sum = fixes.reduce((east: 0.0, north: 0.0)) { sum, fix in
            let position = plane.project(fix.coordinate)
            return (sum.east + position.east, sum.north + position.north)
        }
        let visit = Visit(
            id: "vis_\(first.timestamp.milliseconds)", arrival: first.timestamp, departure: leaving,
            coordinate: plane.unproject(east: sum.east / count, north: sum.north / count), horizontalAccuracy: distance)
        return Event(
            id: visit.id, sequence: 1, deviceID: device, occurrence: .visitDeparted(visit), timestamp: leaving,
            detectedAt: leaving)
    }
}
