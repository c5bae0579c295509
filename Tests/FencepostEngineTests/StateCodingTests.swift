import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostTesting
import Foundation
import Testing

@testable import FencepostEngine

@Suite("Stored states") struct StateCodingTests {
    /// Every kind of value that a state may hold, nested and missing, in types as the compiler codes them.
    private struct Sample: Hashable, Codable {
        enum Phase: Hashable, Codable {
            case idle
            case moving(since: Timestamp, speed: Double?)
            case done(Int8)
        }
        enum Word: String, Codable, CaseIterable { case one, two }

        var flag: Bool
        var numbers: [Int64]
        var large: UInt64
        var byte: UInt8?
        var exact: [Double]
        var short: Float
        var text: String
        var optional: String?
        var phase: Phase
        var phases: [String: Phase]
        var word: Word?
        var none: [Sample]
        var times: [Timestamp?]
        var pairs: [DeviceID: Int]
        var empty: Empty

        struct Empty: Hashable, Codable {}

        init(_ random: inout SeededGenerator, depth: Int) {
            func number() -> Int64 {
                Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0...63, using: &random)
            }
            func text() -> String {
                String(
                    (0..<Int.random(in: 0...20, using: &random)).map { _ in
                        "aä€😀\0\"{".randomElement(using: &random) ?? "x"
                    })
            }
            func phase() -> Phase {
                switch Int.random(in: 0...2, using: &random) {
                case 0: .idle
                case 1:
                    .moving(
                        since: Timestamp(milliseconds: number() >> 12),
                        speed: Bool.random(using: &random) ? Double(number() >> 14) / 7 : nil)
                default: .done(Int8.random(in: .min ... .max, using: &random))
                }
            }
            flag = Bool.random(using: &random)
            numbers = (0..<Int.random(in: 0...5, using: &random)).map { _ in number() }
            large = UInt64(bitPattern: number())
            byte = Bool.random(using: &random) ? UInt8.random(in: 0...255, using: &random) : nil
            exact = [
                0, -0.0, 1e15, -1e15, .leastNonzeroMagnitude, Double(number() >> 14),
            ]
            short = Float(number() >> 14) / 3
            self.text = text()
            optional = Bool.random(using: &random) ? text() : nil
            self.phase = phase()
            phases = Dictionary((0..<3).map { _ in (text(), phase()) }) { first, _ in first }
            word = Word.allCases.randomElement(using: &random)
            none = depth > 0 ? (0..<2).map { _ in Sample(&random, depth: depth - 1) } : []
            times = [nil, Timestamp(milliseconds: number() >> 12)]
            pairs = [DeviceID(text()): Int(number())]
            empty = Empty()
        }
    }

    @Test("come back as they were, whatever they hold", arguments: 1...200 as ClosedRange<UInt64>)
    func comesBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let encoder = StateEncoder()
        for depth in [3, 0, 2, 3] {
            let sample = Sample(&random, depth: depth)
            let bytes = try encoder.encode(sample)
            #expect(try StateDecoder().decode(Sample.self, from: bytes) == sample)
        }
    }

    @Test("have no number that later results could not be computed from")
    func numbersAtTheirEnds() throws {
        // Earlier versions stored such numbers after fixes with impossible accuracies.
        let numbers = [Double.infinity, -.infinity, .nan, 1e155, -.greatestFiniteMagnitude, 1e15]
        let read = try StateDecoder().decode([Double].self, from: try StateEncoder().encode(numbers))
        #expect(read == [1e15, -1e15, 0, 1e15, -1e15, 1e15])
        let short = try StateDecoder().decode(
            [Float].self, from: try StateEncoder().encode([Float.infinity, -.infinity, .nan, 1e30, 2.5]))
        #expect(short == [1e15, -1e15, 0, 1e15, 2.5])
        let times = try StateDecoder().decode([Timestamp].self, from: try StateEncoder().encode([Int64.min, .max]))
        #expect(times == [.distantPast, .distantFuture])
    }

    @Test("that are damaged or cut are known to be so", arguments: 1...20 as ClosedRange<UInt64>)
    func damage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = try StateEncoder().encode(Sample(&random, depth: 2))
        for _ in 0..<100 {
            var damaged = bytes
            let index = Int.random(in: 0..<bytes.count, using: &random)
            damaged[index] ^= UInt8.random(in: 1...255, using: &random)
            #expect(throws: (any Error).self) { try StateDecoder().decode(Sample.self, from: damaged) }
            #expect(throws: (any Error).self) { try StateDecoder().decode(Sample.self, from: Array(bytes[..<index])) }
        }
        #expect(throws: (any Error).self) { try StateDecoder().decode([Int].self, from: bytes) }
    }

    /// Engines after a walk, with and without regions, visits and a window.
    private func records(seed: UInt64) throws -> [DeviceRecord] {
        var settings = MonitorSettings()
        settings.crossing = CrossingMode.allCases[Int(seed) % CrossingMode.allCases.count]
        if seed % 2 == 0 { settings.reorderWindow = .seconds(60) }
        var engine = MonitorEngine(RegionIndex(RegionCatalog(RandomWalk.regions)), settings: settings)
        for location in RandomWalk.fixes(seed: seed, count: 300) {
            var location = location
            if seed % 3 == 0 { (location.speed, location.floor, location.source) = (1.5, 2, "gpx") }
            _ = try engine.accept(location, now: location.timestamp) { _ in }
        }
        return engine.deviceIDs.compactMap { engine.state(of: $0) }.map { DeviceRecord(engine: $0) }
    }

    @Test("of devices come back as they were", arguments: 1...12 as ClosedRange<UInt64>)
    func devices(seed: UInt64) throws {
        let records = try records(seed: seed)
        let encoder = StateEncoder()
        #expect(records.count == 4)
        for record in records {
            let bytes = try encoder.encode(record)
            #expect(try DeviceRecord(bytes) == record)
            // A state as older versions wrote it says the same.
            let text = Array(try JSONEncoder().encode(record))
            #expect(try DeviceRecord(text) == record)
            #expect(bytes.count < text.count)
        }
    }
}
