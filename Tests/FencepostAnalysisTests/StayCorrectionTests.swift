import FencepostAnalysis
import FencepostGeometry
import FencepostModel
import FencepostTesting
import Testing

@Suite("Stays that users state") struct StayCorrectionTests {
    private static let site = StayCorrection.Site(coordinate: Coordinate(latitude: 50, longitude: 10))

    private static func minute(_ number: Int) -> Timestamp { Timestamp(seconds: 1_772_409_600) + .seconds(60 * number) }

    private static func visit(_ id: String, _ span: Range<Int>) -> Visit {
        Visit(
            id: id, arrival: minute(span.lowerBound), departure: minute(span.upperBound),
            coordinate: Coordinate(latitude: 51, longitude: 11), horizontalAccuracy: 10)
    }

    /// Each minute is that of the newest correction about it, or else of the visit there.
    @Test("replace what the locations show, minute by minute, the newest first", arguments: 0..<300)
    func minutes(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var visits: [Visit] = []
        var expected = [String?](repeating: nil, count: 400)
        var start = Int.random(in: 0..<20, using: &random)
        while start < 380 {
            let end = min(400, start + Int.random(in: 5..<60, using: &random))
            visits.append(Self.visit("vis_\(visits.count)", start..<end))
            for minute in start..<end { expected[minute] = "vis_\(visits.count - 1)" }
            start = end + Int.random(in: 1..<30, using: &random)
        }
        var corrections: [StayCorrection] = []
        for number in 0..<Int.random(in: 0..<6, using: &random) {
            let start = Int.random(in: 0..<395, using: &random)
            let end = min(400, start + Int.random(in: 1..<90, using: &random))
            let correction = StayCorrection(
                id: "cor_\(number)", deviceID: DeviceID("a"), arrival: Self.minute(start), departure: Self.minute(end),
                site: Bool.random(using: &random) ? Self.site : nil)
            corrections = corrections.flatMap { $0.cut(by: correction) } + [correction]
            for minute in start..<end { expected[minute] = correction.site == nil ? nil : correction.id }
        }
        #expect(Set(corrections.map(\.id)).count == corrections.count)
        var shown = [String?](repeating: nil, count: 400)
        var last = Timestamp.distantPast
        for visit in StayCorrection.apply(corrections.shuffled(using: &random), to: visits) {
            guard let arrival = visit.arrival, let departure = visit.departure else { continue }
            #expect(last <= arrival)
            last = departure
            for minute in 0..<400 where Self.minute(minute) >= arrival && Self.minute(minute) < departure {
                shown[minute] = String(visit.id.prefix { $0 != "~" })
            }
        }
        // What is left of a visit for less than five minutes is not shown.
        for minute in 0..<400 where shown[minute] != expected[minute] {
            #expect(shown[minute] == nil)
            let id = expected[minute]
            #expect(id?.hasPrefix("vis_") == true)
            let from = (0...minute).reversed().first { expected[$0] != id }.map { $0 + 1 } ?? 0
            let to = (minute..<400).first { expected[$0] != id } ?? 400
            #expect(to - from < 5)
        }
    }

    @Test("leave the bounds of a visit where they do not cut it, and a visit that goes on open") func bounds() {
        var visit = Self.visit("vis_1", 0..<100)
        (visit.arrivalEarliest, visit.arrivalLatest) = (Self.minute(-5), Self.minute(0))
        (visit.departure, visit.departureEarliest) = (nil, nil)
        let correction = StayCorrection(
            id: "cor_1", deviceID: DeviceID("a"), arrival: Self.minute(40), departure: Self.minute(50), site: nil)
        let parts: [Visit] = StayCorrection.apply([correction], to: [visit])
        #expect(parts.map(\.id) == ["vis_1", "vis_1~2"])
        #expect(parts.map(\.arrivalEarliest) == [Self.minute(-5), nil])
        #expect(parts.map(\.departure) == [Self.minute(40), nil])
        #expect(StayCorrection.apply([], to: [visit]) == [visit])
    }
}
