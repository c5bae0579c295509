import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostTesting
import Testing

@Suite("An encoded event") struct EventEncoderTests {
    private static let time = Timestamp(milliseconds: 1_772_353_800_000)

    private static let shape = Shape.circle(Circle(center: Coordinate(latitude: 1, longitude: 2), radius: 3))

    private static var region: RegionSummary {
        var region = Region(id: RegionID("office"), shape: shape)
        region.name = "Büro \"1\""
        region.tags = ["work"]
        region.metadata = JSONText(#"{"a":[1]}"#)
        return RegionSummary(region)
    }

    private static var fix: Location {
        var fix = Location(
            deviceID: DeviceID("jane/phone"), timestamp: time,
            coordinate: Coordinate(latitude: 48.85833, longitude: -2.29513), horizontalAccuracy: 12)
        fix.batteryState = .unknown
        fix.speed = 0
        return fix
    }

    private func line(_ occurrence: Occurrence, apps: [JSONText] = [], change: (inout Event) -> Void = { _ in })
        -> String
    {
        var event = Event(
            id: "evt_1", sequence: 7, deviceID: DeviceID("jane/phone"), occurrence: occurrence,
            timestamp: Self.time, detectedAt: Self.time + .milliseconds(12_500))
        change(&event)
        var encoder = EventEncoder(.ndjson)
        encoder.encode(event, apps: apps)
        encoder.finish()
        return String(decoding: encoder.takeBytes(), as: UTF8.self)
    }

    private let head = #"{"id":"evt_1","sequence":7,"type":""#
    private let times =
        #"","timestamp":"2026-03-01T08:30:00Z","detectedAt":"2026-03-01T08:30:12.500Z","deviceId":"jane/phone""#
    private let office = #","region":{"id":"office","name":"Büro \"1\"","tags":["work"],"metadata":{"a":[1]}}"#

    @Test("has times in RFC 3339", arguments: 1...10 as ClosedRange<UInt64>)
    func times(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for number in 0..<1000 {
            // From the year 0 to the end of 9999, half of them in whole seconds.
            let milliseconds = Int64.random(in: -62_167_219_200_000...253_402_300_799_999, using: &generator)
            let time = Timestamp(milliseconds: number % 2 == 0 ? milliseconds : milliseconds / 1000 * 1000)
            var writer = JSONWriter()
            writer.value(time)
            #expect(String(decoding: writer.bytes, as: UTF8.self) == "\"\(time.rfc3339)\"")
        }
    }

    @Test("of a region has its members in order") func entered() {
        let text = line(.regionEntered(Self.region), apps: [JSONText(#"{"app":"courier"}"#)]) { event in
            event.location = Self.fix
            event.confidence = 0.98765
        }
        let location =
            #","location":{"deviceId":"jane/phone","timestamp":"2026-03-01T08:30:00Z","latitude":48.85833,"#
            + #""longitude":-2.29513,"horizontalAccuracy":12,"speed":0}"#
        #expect(
            text == head + "region.entered" + times + office + location
                + #","confidence":0.988,"apps":[{"app":"courier"}]}"# + "\n")
    }

    @Test("has the reason of an exit and the duration of a dwell") func reasons() {
        let plain = RegionSummary(Region(id: RegionID("office"), shape: Self.shape))
        let bare = #","region":{"id":"office","tags":[]}"#
        #expect(
            line(.regionExited(plain, reason: .expired)) == head + "region.exited" + times + bare
                + #","reason":"expired","apps":[]}"# + "\n")
        #expect(
            line(.regionExited(plain, reason: nil)) == head + "region.exited" + times + bare + #","apps":[]}"# + "\n")
        #expect(
            line(.regionDwelled(plain, dwell: .milliseconds(90_500))) == head + "region.dwelled" + times + bare
                + #","dwell":90.5,"apps":[]}"# + "\n")
        #expect(line(.deviceStale) == head + "device.stale" + times + #","apps":[]}"# + "\n")
    }

    @Test("of a visit has null for unknown times, and its bounds") func visits() {
        var visit = Visit(
            id: "vis_1", arrival: nil, coordinate: Coordinate(latitude: 0, longitude: 1.5), horizontalAccuracy: 20,
            regions: [RegionID("office")])
        let start =
            #","visit":{"id":"vis_1","arrival":null,"departure":null,"latitude":0,"longitude":1.5,"#
            + #""horizontalAccuracy":20,"regions":["office"]"#
        #expect(line(.visitArrived(visit)) == head + "visit.arrived" + times + start + #"},"apps":[]}"# + "\n")
        visit.arrivalLatest = Self.time
        #expect(
            line(.visitDeparted(visit)) == head + "visit.departed" + times + start
                + #","arrivalLatest":"2026-03-01T08:30:00Z"},"apps":[]}"# + "\n")
    }

    @Test("has the rule and the values of an alert") func alert() {
        var alert = Alert(kind: .speed, rule: "fast", state: .started)
        (alert.value, alert.limit, alert.unit, alert.duration) = (92.5, 80, "km/h", .seconds(10))
        #expect(
            line(.alert(alert)) == head + "alert.speed" + times
                + #","alert":{"rule":"fast","state":"started","value":92.5,"limit":80,"unit":"km/h","duration":10}"#
                + #","apps":[]}"# + "\n")
        let ended = Alert(kind: .unplugged, rule: "power", state: .ended)
        #expect(
            line(.alert(ended)) == head + "alert.unplugged" + times
                + #","alert":{"rule":"power","state":"ended"},"apps":[]}"# + "\n")
    }

    @Test("has its explanation on request") func why() {
        let text = line(.deviceRecovered) { event in
            event.why = Why(
                rule: .clearFix, distance: -23.45678, accuracy: 12, probability: 0.98, pendingFixes: [Self.time])
        }
        #expect(
            text == head + "device.recovered" + times
                + #","why":{"rule":"clear_fix","distance":-23.457,"accuracy":12,"probability":0.98,"#
                + #""heldBack":["2026-03-01T08:30:00Z"]},"apps":[]}"# + "\n")
    }

    @Test("is the same in one piece as in parts", arguments: 1...20 as ClosedRange<UInt64>)
    func crossings(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        func number(_ range: ClosedRange<Double>) -> Double? {
            Bool.random(using: &random) ? Double.random(in: range, using: &random) : nil
        }
        let texts = ["a", "Büro \"1\"", "tab\there \\", String(repeating: "\u{1}", count: 128), ""]
        for sequence in 0..<100 {
            var region = Region(id: RegionID(texts.randomElement(using: &random) ?? ""), shape: Self.shape)
            region.name = Bool.random(using: &random) ? texts.randomElement(using: &random) : nil
            region.tags = Array(texts.prefix(Int.random(in: 0...5, using: &random)))
            if Int.random(in: 0..<5, using: &random) == 0 { region.metadata = JSONText("{}") }
            var fix = Location(
                deviceID: DeviceID(texts.randomElement(using: &random) ?? ""),
                timestamp: Self.time + .milliseconds(Int64.random(in: 0...3, using: &random) * 500),
                coordinate: Coordinate(
                    latitude: Double.random(in: -90...90, using: &random), longitude: -2.5),
                horizontalAccuracy: number(0...99))
            (fix.altitude, fix.verticalAccuracy, fix.speed) = (number(-9...9), number(0...9), number(0...9))
            (fix.course, fix.batteryLevel) = (number(0...359), number(0...1))
            if Int.random(in: 0..<9, using: &random) == 0 { fix.trigger = "t" }
            let summary = RegionSummary(region)
            var event = Event(
                id: "", sequence: sequence, deviceID: fix.deviceID,
                occurrence: Bool.random(using: &random)
                    ? .regionEntered(summary) : .regionExited(summary, reason: nil),
                timestamp: Self.time, detectedAt: Self.time + .milliseconds(sequence % 2), location: fix,
                confidence: number(0...1))
            var identity = Identity()
            identity.add(Int64(sequence))
            event.identity = identity
            var (quick, slow) = (EventEncoder(.ndjson), EventEncoder(.ndjson))
            quick.encode(event, explains: false)
            // An id that is a text is written in parts.
            event.id = event.id
            slow.encode(event, explains: false)
            let text = String(decoding: quick.takeBytes(), as: UTF8.self)
            #expect(text == String(decoding: slow.takeBytes(), as: UTF8.self))
        }
    }

    @Test("is a feature of a collection, for any number of events", arguments: 0...3)
    func geojson(count: Int) throws {
        var encoder = EventEncoder(.geojson)
        var bytes: [UInt8] = []
        for index in 0..<count {
            var event = Event(
                id: "evt_\(index)", sequence: index, deviceID: DeviceID("d"), occurrence: .regionEntered(Self.region),
                timestamp: Self.time, detectedAt: Self.time)
            if index > 0 { event.location = Self.fix }
            encoder.encode(event)
            bytes += encoder.takeBytes()
        }
        encoder.finish()
        bytes += encoder.takeBytes()
        let root = try JSONDocument(parsing: bytes).root
        #expect(root["type"]?.string == "FeatureCollection")
        let features = try #require(root["features"]?.array)
        #expect(features.count == count)
        for (index, feature) in features.enumerated() {
            #expect(feature["type"]?.string == "Feature")
            #expect(feature["id"]?.string == "evt_\(index)")
            #expect(feature["properties"]?["type"]?.string == "region.entered")
            #expect(feature["properties"]?["region"]?["id"]?.string == "office")
            let expected = index == 0 ? "null" : #"{"type":"Point","coordinates":[-2.29513,48.85833]}"#
            #expect(feature["geometry"]?.text == expected)
        }
    }

    @Test("has a location that reads back as the same") func roundTrip() throws {
        var location = Self.fix
        location.batteryState = .charging
        location.altitude = -3.25
        location.verticalAccuracy = 0.1
        location.course = 359.999
        location.floor = -1
        location.batteryLevel = 1
        location.isSimulated = true
        location.source = "owntracks"
        location.trigger = "t\n"
        var writer = JSONWriter()
        writer.value(location)
        #expect(try Reading(writer.bytes, format: .ndjson).locations == [location])
    }
}
