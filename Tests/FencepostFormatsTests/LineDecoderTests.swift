import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@testable import FencepostFormats

/// Lines as programs write them, and similar invalid lines.
struct LineMaker {
    var generator: SeededGenerator
    private let shape: Int

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        shape = Int(seed % 8)
    }

    mutating func line() -> [UInt8] {
        var bytes = Array(text(Int.random(in: 0..<16, using: &generator) == 0 ? shape + 1 : shape).utf8)
        if Int.random(in: 0..<4, using: &generator) == 0 { mutate(&bytes) }
        return bytes
    }

    private mutating func text(_ shape: Int) -> String {
        let (latitude, longitude) = (number(90), number(180))
        switch shape % 8 {
        case 0:
            return
                #"{"deviceId":"\#(name())","timestamp":"\#(time())","latitude":\#(latitude),"longitude":\#(longitude),"#
                + #""horizontalAccuracy":\#(number(100)),"speed":\#(number(30)),"course":\#(number(400))}"#
        case 1: return #"{"lat":\#(latitude),"lon":\#(longitude),"tst":\#(epoch()),"tid":"\#(name())"}"#
        case 2:
            return #"{ "device" : "\#(name())", "t" : \#(epoch()), "lat" : \#(latitude), "lng" : \#(longitude) }  "#
        case 3:
            return #"{"device":"\#(name())","time":"\#(time())","lat":\#(latitude),"lon":\#(longitude),"#
                + #""batteryState":"charging","floor":2,"source":"a","seq":\#(number(9e9)),"note":"\#(name())"}"#
        case 4:
            return
                #"{"lat":\#(latitude),"lon":\#(longitude),"time":"\#(time())","x":{"lat":[1,"}"]},"isSimulated":true}"#
        case 5:
            return #"{"deviceId":null,"timestamp":\#(epoch()),"latitude":\#(latitude),"longitude":\#(longitude),"#
                + #""altitude":\#(number(9000)),"verticalAccuracy":\#(number(50)),"batteryLevel":\#(number(1.5))}"#
        case 6: return #"{"lat":\#(latitude),"latitude":\#(latitude),"lon":\#(longitude),"tst":\#(epoch())}"#
        default:
            return #"{"t":\#(epoch()),"lat":\#(latitude),"lon":\#(longitude),"trigger":"\#(name())","a":"\#(name())"}"#
        }
    }

    /// Numbers of every length, beyond the precision of a double too, sometimes in an unusual notation.
    private mutating func number(_ limit: Double) -> String {
        let value = Double.random(in: -0.02...1.01, using: &generator) * limit
        switch Int.random(in: 0..<40, using: &generator) {
        case 0: return "-0"
        case 1: return "-0.0"
        case 2: return "0\(Int(abs(value)))"
        case 3: return "\(value)e\(Int.random(in: -3...3, using: &generator))"
        case 4: return "\(Int64(value))"
        case 5: return "\(Int64(value))."
        case 6: return "+1"
        case 7: return String(UInt64.random(in: 0 ... .max, using: &generator))
        case 8:
            // Many digits, often close to the middle between two doubles.
            let digits = Int.random(in: 10...22, using: &generator)
            return String(format: "%.\(digits)f", value)
        case 9...19: return "\(value)"
        default: return String(format: "%.\(Int.random(in: 1...9, using: &generator))f", value)
        }
    }

    private mutating func name() -> String {
        switch Int.random(in: 0..<30, using: &generator) {
        case 0: "é\(Int.random(in: 0..<3, using: &generator))"
        case 1: #"a\u0062\#(Int.random(in: 0..<3, using: &generator))"#
        case 2: ""
        case 3: String(repeating: "long", count: Int.random(in: 1...40, using: &generator))
        case 4: "e\u{301}"
        default:
            "user\(Int.random(in: 0..<2000, using: &generator))/phone".prefix(
                Int.random(in: 1...16, using: &generator)
            ).description
        }
    }

    private mutating func time() -> String {
        let second = Int64.random(in: 1_772_300_000...1_772_400_000, using: &generator)
        let moment = Timestamp(milliseconds: second * 1000)
        let text = moment.rfc3339.dropLast()
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: return text + "+01:00"
        case 1: return text + ".Z"
        case 2: return text.dropLast(2) + "60Z"
        case 3: return text.dropLast(2) + "7:Z"
        case 4: return "1999-12-31T23:59:59Z"
        case 5: return "2026-02-29T23:59:59Z"
        case 6: return "2026-03-01T23:59:60Z"
        case 7: return text + "z"
        case 8...12:
            let digits = Int.random(in: 1...9, using: &generator)
            return text + "." + (0..<digits).map { _ in "\(Int.random(in: 0...9, using: &generator))" }.joined() + "Z"
        default: return text + "Z"
        }
    }

    private mutating func epoch() -> String {
        let milliseconds = Int64.random(in: 1_772_300_000_000...1_772_400_000_000, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return "\(milliseconds)"
        case 1: return "\(Double(milliseconds) / 1000)"
        case 2: return "\(Double(milliseconds) / 1000)123456"
        case 3: return "17723e5"
        default: return "\(milliseconds / 1000)"
        }
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let pieces = [
            "1", "-", "0", ".", "e", "\"", ",", ":", "{", "}", "null", "é", "\\", "\"lat\":", "Z", " ", "\u{1}", "\r",
            "\t",
            "99999999999999999999",
        ]
        for _ in 0..<Int.random(in: 1...2, using: &generator) where !bytes.isEmpty {
            let start = Int.random(in: 0..<bytes.count, using: &generator)
            let end = min(bytes.count, start + Int.random(in: 0...2, using: &generator))
            let piece = Bool.random(using: &generator) ? pieces.randomElement(using: &generator) ?? "" : ""
            bytes.replaceSubrange(start..<end, with: Array(piece.utf8))
        }
    }
}

@Suite("Lines decoded by their shape") struct LineDecoderTests {
    private static let rules = FixRules(defaultDevice: DeviceID("default"), now: Reading.now)

    /// Compares the sign of a zero too, which `==` ignores.
    private func bits(_ record: Decoded) -> [UInt64] {
        guard case .location(let location, _) = record else { return [] }
        let numbers = [
            location.coordinate.latitude, location.coordinate.longitude, location.horizontalAccuracy ?? .nan,
            location.altitude ?? .nan, location.verticalAccuracy ?? .nan, location.speed ?? .nan,
            location.course ?? .nan, location.batteryLevel ?? .nan,
        ]
        return numbers.map(\.bitPattern)
    }

    @Test("give the same as each line alone", arguments: 1...64 as ClosedRange<UInt64>)
    func agreesWithSlowWay(seed: UInt64) throws {
        var maker = LineMaker(seed: seed)
        let lines = (0..<300).map { _ in maker.line() }
        let whole = try Reading(Array(lines.joined(separator: [0x0A])), format: .ndjson)
        var expected: [Decoded] = []
        for (index, line) in lines.enumerated() {
            // A new reader has no shapes.
            for record in try Reading(line, format: .ndjson).records {
                switch record {
                case .location(let location, _): expected.append(.location(location, at: .line(index + 1)))
                case .rejected(var diagnostic):
                    diagnostic.position = .line(index + 1)
                    expected.append(.rejected(diagnostic))
                case .reported, .gap: Issue.record("a line is a location")
                }
            }
        }
        #expect(whole.records.count == expected.count)
        for (record, other) in zip(whole.records, expected) where record != other || bits(record) != bits(other) {
            Issue.record("\(record) is not \(other)")
        }
    }

    @Test("are almost all decoded by it, after the first") func usesShapes() throws {
        let shapes: [(Int) -> String] = [
            {
                #"{"deviceId":"d\#($0 % 7)","timestamp":"2026-03-01T08:\#(10 + $0 % 50):00.\#($0)Z","latitude":4.\#($0),"#
                    + #""longitude":-0.\#($0)}"#
            },
            { #"{"t":177235\#(1000 + $0),"lat":1.\#($0),"lng":\#($0 % 100),"note":"\#($0)","e":null}"# },
        ]
        for shape in shapes {
            var decoder = LineDecoder(Self.rules)
            for number in 0..<1000 {
                try Array(shape(number).utf8).withUnsafeBufferPointer { bytes in
                    _ = try decoder.location(
                        of: .init(bytes: bytes, readable: bytes.count, number: number, isTooLong: false))
                }
            }
            #expect(decoder.misfits == 1)
        }
    }

    @Test("stay correct while shapes change", arguments: 1...20 as ClosedRange<UInt64>)
    func changingShapes(seed: UInt64) throws {
        var makers = (0..<8).map { LineMaker(seed: seed * 8 + $0) }
        var generator = SeededGenerator(seed: seed)
        var lines: [[UInt8]] = []
        for _ in 0..<60 {
            let maker = Int.random(in: 0..<8, using: &generator)
            for _ in 0..<Int.random(in: 1...9, using: &generator) { lines.append(makers[maker].line()) }
        }
        let whole = try Reading(Array(lines.joined(separator: [0x0D, 0x0A])), format: .ndjson)
        let alone = try lines.flatMap { try Reading($0, format: .ndjson).records }
        #expect(whole.records.map(bits) == alone.map(bits))
    }

    @Test("round numbers as IEEE 754 requires", arguments: 1...20 as ClosedRange<UInt64>)
    func exactDecimals(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var read = 0
        for _ in 0..<5000 {
            let digits = String(UInt64.random(in: 0 ... .max, using: &generator)).suffix(
                Int.random(in: 1...19, using: &generator))
            let point = Int.random(in: 1...digits.count, using: &generator)
            var text = digits.prefix(point) + (point < digits.count ? "." + digits.dropFirst(point) : "")
            if Bool.random(using: &generator) { text = "-" + text }
            let bytes = Array(text.utf8) + Array(repeating: 0, count: 32)
            var value = 0.0
            let count = bytes.withUnsafeBufferPointer { bytes in
                bytes.baseAddress.flatMap { start in ExactDecimal.read(start, into: &value).map { $0 - start } }
            }
            guard let count else { continue }
            read += 1
            #expect(count == text.utf8.count)
            let wanted = text == "-0" ? 0 : try #require(Double(text))
            #expect(value.bitPattern == wanted.bitPattern, "\(text)")
        }
        #expect(read > 3000)
    }

    @Test("round a tie between two doubles to even") func ties() {
        // 2^53 + 1, + 3, and halves, thirds and tenths of the gap between two doubles.
        let cases: [(UInt64, UInt64, Double)] = [
            (9_007_199_254_740_993, 1, 9_007_199_254_740_992), (9_007_199_254_740_995, 1, 9_007_199_254_740_996),
            (90_071_992_547_409_930, 10, 9_007_199_254_740_992), (90_071_992_547_409_931, 10, 9_007_199_254_740_994),
            (90_071_992_547_409_950, 10, 9_007_199_254_740_996), (90_071_992_547_409_949, 10, 9_007_199_254_740_994),
            (.max, 1, 18_446_744_073_709_551_616), (1, 3, 1.0 / 3), (2, 3, 2.0 / 3),
        ]
        for (dividend, divisor, wanted) in cases { #expect(ExactDecimal.quotient(dividend, divisor) == wanted) }
    }

    @Test("give the same for blocks of any size", arguments: 1...24 as ClosedRange<UInt64>)
    func blocks(seed: UInt64) throws {
        var maker = LineMaker(seed: seed)
        var bytes: [UInt8] = seed % 3 == 0 ? [0xEF, 0xBB, 0xBF] : []
        for number in 0..<120 {
            var line = maker.line()
            if number % 50 == 17 { line = Array(repeating: 0x20, count: 65_530 + number % 13) + line }
            if number % 50 == 21 { line = Array(repeating: 0x61, count: 200_000) }
            if number % 50 == 23 { line = [] }
            bytes += line + (number % 4 == 0 ? [0x0D, 0x0A] : [0x0A])
        }
        if seed % 2 == 0 { bytes.removeLast() }
        let whole = try Reading(bytes, name: nil, format: .ndjson, rules: Self.rules).records
        let path = FileManager.default.temporaryDirectory.appending(path: "lines-\(seed)-\(UUID()).ndjson").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(bytes).write(to: URL(filePath: path))
        let file = try #require(try LineFile.find(path: path, format: .ndjson))
        let size = [1 << 20, 64, 1000, 4096, 70_000][Int(seed % 5)]
        var reader = LineBlockReader(rules: Self.rules)
        var (records, devices, firstLine): ([Decoded], [DeviceID], Int) = ([], [], 0)
        for start in stride(from: 0, to: bytes.count, by: size) {
            let block = try reader.read(start..<min(start + size, bytes.count), of: file)
            devices += block.newDevices
            var decodedByLine: [Int: Decoded] = [:]
            for rejected in block.rejected {
                guard case .line(let line) = rejected.diagnostic.position else { continue }
                var diagnostic = rejected.diagnostic
                diagnostic.file = nil
                diagnostic.position = .line(firstLine + line)
                decodedByLine[rejected.record] = .rejected(diagnostic)
            }
            for fix in block.fixes {
                let device = fix.device < 0 ? DeviceID("default") : devices[Int(fix.device)]
                // Blocks do not store the lines of valid records.
                decodedByLine[Int(fix.record)] = .location(block.location(fix, of: device), at: .line(0))
            }
            #expect(decodedByLine.count == block.recordCount)
            records += (0..<block.recordCount).compactMap { decodedByLine[$0] }
            firstLine += block.lineCount
        }
        let wanted = whole.map { record in
            if case .location(let location, _) = record { Decoded.location(location, at: .line(0)) } else { record }
        }
        #expect(records == wanted)
        #expect(records.map(bits) == wanted.map(bits))
    }
}
