import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostTesting
import Testing

@Suite("NDJSON") struct NDJSONTests {
    private func line(_ length: Int) -> String {
        let head = #"{"deviceId":"a","timestamp":"2026-03-01T08:30:00Z","lat":1,"lon":2,"x":""#
        return head + String(repeating: "x", count: length - head.utf8.count - 2) + "\"}"
    }

    @Test("continues after a line of more than 64 KiB", arguments: [17, 4096, 1 << 20])
    func longLines(maximumRead: Int) throws {
        let lines = [line(100), line(65_536), line(65_537), line(65_536) + "\r", line(300_000), line(99)]
        let reading = try Reading(
            Array(lines.joined(separator: "\n").utf8), format: .ndjson, maximumRead: maximumRead)
        let positions = reading.records.map { record in
            switch record {
            case .location(_, let position): "\(position)"
            case .rejected(let diagnostic): "\(diagnostic.position) \(diagnostic.code)"
            case .reported, .gap: "?"
            }
        }
        #expect(
            positions == [
                "line(1)", "line(2)", "line(3) payload_too_large", "line(4)", "line(5) payload_too_large", "line(6)",
            ])
        #expect(reading.failure == nil)
    }

    /// Valid lines with a change, most of them almost valid.
    private func mutated(_ generator: inout SeededGenerator) -> [UInt8] {
        let seeds = [
            #"{"deviceId":"jane/phone","timestamp":"2026-03-01T08:30:00Z","latitude":48.85833,"longitude":2.29513,"horizontalAccuracy":12,"altitude":35,"verticalAccuracy":4,"speed":1.5,"course":270,"batteryLevel":0.87}"#,
            #"{"tid":"a\u00e9","tst":1772353800.25,"lat":-0.5e1,"lon":180,"acc":0,"x":[{"lat":1},"}"],"y":null}"#,
            #"{"device":"b","time":"2026-03-01T09:30:00.123+01:00","lat":1,"lng":2,"accuracy":3,"speed":-1,"course":360}"#,
            #"{"device_id":"c","t":1772353800123,"lat":90,"lon":-180,"batteryLevel":-1,"verticalAccuracy":-1}"#,
        ]
        var bytes = Array(seeds.randomElement(using: &generator)?.utf8 ?? "".utf8)
        let pieces = [
            "1", "9", "-", "0", ".", "e", "\"", ",", ":", "{", "}", "null", "true", "99999999999999999999", "é", "\\",
            "\"lat\":", "\"t\":", "Z", " ", "1e400", "[",
        ]
        for _ in 0..<Int.random(in: 0...2, using: &generator) where !bytes.isEmpty {
            let start = Int.random(in: 0..<bytes.count, using: &generator)
            let end = min(bytes.count, start + Int.random(in: 0...2, using: &generator))
            let piece = Bool.random(using: &generator) ? pieces.randomElement(using: &generator) ?? "" : ""
            bytes.replaceSubrange(start..<end, with: Array(piece.utf8))
        }
        return bytes
    }

    @Test("is accepted and rejected as by a slow reader with Foundation", arguments: 1...25 as ClosedRange<UInt64>)
    func agreesWithReference(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var (taken, rejected) = (0, 0)
        for _ in 0..<400 {
            let line = mutated(&generator)
            let reading = try Reading(line, format: .ndjson)
            let reference = ReferenceFix(line: line)?.location
            if let reference {
                taken += 1
                #expect(reading.locations == [reference], "\(String(decoding: line, as: UTF8.self))")
            } else {
                rejected += 1
                #expect(reading.locations.isEmpty, "\(String(decoding: line, as: UTF8.self))")
            }
        }
        // Both outcomes must be frequent.
        #expect(taken > 50 && rejected > 50)
    }

    @Test("and a document of the same objects give the same", arguments: 1...10 as ClosedRange<UInt64>)
    func agreesWithDocument(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let line = mutated(&generator)
            let lines = try Reading(line, format: .ndjson)
            let document = try Reading(Array("[".utf8) + line + Array("]".utf8), format: .json)
            guard document.failure == nil, document.records.count == 1, lines.records.count == 1 else { continue }
            #expect(lines.locations == document.locations)
            #expect(lines.rejections.map(\.code) == document.rejections.map(\.code))
        }
    }

    @Test("distinguishes devices when there are more than its cache holds") func manyDevices() throws {
        let numbers = Array(0..<70_000) + Array(60_000..<60_010)
        let lines = numbers.map { #"{"deviceId":"d\#($0)","tst":1772353800,"lat":1,"lon":2}"# }
        let reading = try Reading(Array(lines.joined(separator: "\n").utf8), format: .ndjson)
        #expect(reading.locations.map(\.deviceID.rawValue) == numbers.map { "d\($0)" })
    }

    @Test("accepts fixes up to a day ahead of the clock") func clock() throws {
        func reading(_ seconds: Int64, now: Timestamp?) throws -> [String] {
            let line = #"{"tst":\#(seconds),"lat":1,"lon":2}"#
            let rules = FixRules(defaultDevice: DeviceID("d"), now: now)
            return try Reading(Array(line.utf8), format: .ndjson, rules: rules).rejections.map(\.code)
        }
        let now = Timestamp(seconds: 1_772_353_800)
        #expect(try reading(1_772_353_800 + 86_400, now: now) == [])
        #expect(try reading(1_772_353_800 + 86_401, now: now) == ["timestamp_out_of_range"])
        // The last seconds and the first milliseconds: in the years 5138 and 1973.
        #expect(try reading(99_999_999_999, now: nil) == [])
        #expect(try reading(100_000_000_000, now: nil) == ["timestamp_out_of_range"])
        #expect(try reading(946_684_800, now: now) == [])
        #expect(try reading(946_684_799, now: nil) == ["timestamp_out_of_range"])
    }

    @Test("without a default device rejects a fix that names none") func noDevice() throws {
        let bytes = Array(#"{"tst":1772353800,"lat":1,"lon":2}"#.utf8)
        #expect(try Reading(bytes, format: .ndjson, rules: FixRules()).rejections.map(\.code) == ["missing_device"])
    }

    @Test("reads back what was written, for any fix", arguments: 0..<512)
    func writtenAndRead(saying bits: Int) throws {
        var fix = Location(
            deviceID: DeviceID("jane/phone"), timestamp: Timestamp(milliseconds: 1_772_353_800_125),
            coordinate: Coordinate(latitude: 48.85833, longitude: -2.29513))
        if bits & 1 != 0 { fix.horizontalAccuracy = 12.5 }
        if bits & 2 != 0 { fix.altitude = -0.5 }
        if bits & 4 != 0 { fix.verticalAccuracy = 3 }
        if bits & 8 != 0 { fix.speed = 1.5 }
        if bits & 16 != 0 { fix.course = 359.9 }
        if bits & 32 != 0 { fix.batteryLevel = 1 }
        if bits & 64 != 0 { (fix.floor, fix.isSimulated) = (-1, bits & 1 == 0) }
        if bits & 128 != 0 { (fix.source, fix.batteryState) = ("owntracks", .charging) }
        if bits & 256 != 0 { fix.trigger = "\"u\"" }
        var writer = JSONWriter()
        writer.value(fix)
        #expect(try Reading(writer.bytes, format: .ndjson).records == [.location(fix, at: .line(1))])
    }
}
