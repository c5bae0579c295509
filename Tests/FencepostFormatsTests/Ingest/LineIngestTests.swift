import FencepostFormats
import FencepostModel
import FencepostTesting
import Testing

@Suite("Bodies of lines with cached shapes") struct LineIngestTests {
    /// Lines of several programs, with errors, blank lines, and both kinds of line endings.
    private static func body(_ random: inout SeededGenerator) -> [String] {
        let style = Int.random(in: 0..<4, using: &random)
        return (0..<Int.random(in: 0...60, using: &random)).map { _ in
            let device =
                "d\(Int.random(in: 0..<40, using: &random))/a-long-name-\(Int.random(in: 0..<3, using: &random))"
            let time = 1_772_000_000 + Int.random(in: 0..<100_000, using: &random)
            let latitude = Double(Int.random(in: -910_000...910_000, using: &random)) / 10_000
            let longitude = Double(Int.random(in: -1_800_000...1_800_000, using: &random)) / 10_000
            switch Int.random(in: 0..<20, using: &random) {
            case 0: return ""
            case 1: return "  "
            case 2: return "{\"deviceId\":\"\(device)\",\"latitude\":"
            case 3: return "nonsense"
            case 4: return "{\"latitude\":1,\"longitude\":2,\"timestamp\":\(time)}"
            case 5: return "{\"deviceId\":\"é\\u0041\",\"latitude\":1,\"longitude\":2,\"timestamp\":\(time)}\r"
            default: break
            }
            let names = style == 1 ? ["tid", "tst", "lat", "lon"] : ["deviceId", "timestamp", "latitude", "longitude"]
            let members = "\"\(names[2])\":\(latitude),\"\(names[3])\":\(longitude)"
            switch style {
            case 0: return "{\"deviceId\":\"\(device)\",\(members),\"horizontalAccuracy\":8,\"timestamp\":\(time)}"
            case 1: return "{\"tst\":\(time),\"tid\":\"\(device)\",\(members),\"batteryState\":\"charging\"}\r"
            case 2: return "{\(members),\"timestamp\":\(time)}"
            default:
                let text = "2026-03-01T08:30:\(10 + time % 50)Z"
                return "{ \"deviceId\" : \"\(device)\", \"timestamp\" : \"\(text)\", \(members), \"speed\" : -1 }"
            }
        }
    }

    private static func result(_ read: () throws(Rejection) -> IngestRequest) -> Result<IngestRequest, Rejection> {
        do throws(Rejection) { return .success(try read()) } catch { return .failure(error) }
    }

    @Test("give the same as each line alone", arguments: 1...100 as ClosedRange<UInt64>)
    func alone(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let reader = LineIngest(readers: Int(seed % 3))
        for _ in 0..<20 {
            var rules = FixRules(
                defaultDevice: Bool.random(using: &random) ? DeviceID("own\(seed)") : nil,
                now: Timestamp(seconds: 1_772_050_000 + Int64.random(in: -90_000...0, using: &random)))
            rules.requiresTimestamp = Bool.random(using: &random)
            let lines = Self.body(&random)
            var expected = IngestRequest()
            var index = 0
            for line in lines where !line.allSatisfy({ $0 == " " || $0 == "\r" }) {
                // One line at a time, each by a new reader.
                let one = try NativeIngest.decode(ndjson: Array(line.utf8), rules: rules)
                expected.locations += one.locations
                for var rejected in one.rejected {
                    rejected.index = index
                    expected.rejected.append(rejected)
                }
                index += 1
            }
            let text = lines.joined(separator: "\n") + (Bool.random(using: &random) ? "\n" : "")
            let mark: [UInt8] = Bool.random(using: &random) ? [0xEF, 0xBB, 0xBF] : []
            #expect(try reader.decode(mark + Array(text.utf8), rules: rules) == expected)
        }
    }

    @Test("are rejected when there are too many lines", arguments: [9, 10, 11])
    func limit(count: Int) {
        let reader = LineIngest()
        let line = "{\"deviceId\":\"a\",\"latitude\":1,\"longitude\":2,\"timestamp\":1772000000}\n"
        for rounds in 1...3 {
            let body = Array(String(repeating: line, count: count).utf8)
            let result = Self.result { () throws(Rejection) in
                try reader.decode(body, rules: FixRules(), limit: 10)
            }
            switch result {
            case .success(let request): #expect(count <= 10 && request.locations.count == count, "\(rounds)")
            case .failure(let rejection): #expect(count > 10 && rejection.code == .tooManyLocations)
            }
        }
    }

    @Test("distinguish devices when new ones appear all the time")
    func manyDevices() throws {
        let reader = LineIngest(readers: 1)
        for round in 0..<16 {
            let names = (0..<9000).map { "device \(round) \($0)" }
            let body = names.map {
                "{\"deviceId\":\"\($0)\",\"latitude\":1,\"longitude\":2,\"timestamp\":1772000000}\n"
            }
            let request = try reader.decode(Array(body.joined().utf8), rules: FixRules())
            #expect(request.locations.map(\.deviceID.rawValue) == names)
        }
    }
}
