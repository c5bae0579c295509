import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import Testing

@testable import FencepostService

@Suite("Decoding the states of all devices") struct DeviceRecordDecodingTests {
    /// Checkpoints whose records hold their number.
    private static func checkpoints(_ count: Int) throws -> [DeviceCheckpoint] {
        var engine = MonitorEngine(RegionIndex(RegionCatalog([])), settings: MonitorSettings())
        let fix = Location(
            deviceID: DeviceID("a"), timestamp: Timestamp(seconds: 1_772_000_000),
            coordinate: Coordinate(latitude: 1, longitude: 2))
        _ = try engine.accept(fix) { _ in }
        let state = engine.state(of: fix.deviceID)
        var record = DeviceRecord(engine: try #require(state))
        let encoder = StateEncoder()
        return try (0..<count).map { number in
            record.fixesSinceSnapshot = number
            return DeviceCheckpoint(
                deviceID: DeviceID("device/\(number)"), position: 1, state: try encoder.encode(record))
        }
    }

    private static let count = DeviceRecord.batch + DeviceRecord.chunk + 7

    @Test("passes them on in order", arguments: [0, 1, DeviceRecord.chunk, DeviceRecord.chunk + 1, count])
    func order(count: Int) throws {
        var numbers: [Int?] = []
        try DeviceRecord.decode(try Self.checkpoints(count)) { record, checkpoint in
            #expect(checkpoint.deviceID == DeviceID("device/\(record.fixesSinceSnapshot ?? -1)"))
            numbers.append(record.fixesSinceSnapshot)
        }
        #expect(numbers == Array(0..<count))
    }

    @Test(
        "names the first one that cannot be read",
        arguments: [0, 1, DeviceRecord.chunk - 1, DeviceRecord.chunk, DeviceRecord.batch + 3, count - 1])
    func unreadable(first: Int) throws {
        var checkpoints = try Self.checkpoints(Self.count)
        for number in [first, first + 1, first + DeviceRecord.chunk, first + DeviceRecord.batch]
        where number < Self.count {
            checkpoints[number].state[20] ^= 1
        }
        var passed = 0
        do {
            try DeviceRecord.decode(checkpoints) { _, _ in passed += 1 }
            Issue.record("it read a damaged state")
        } catch MonitorStateError.unreadableState(let id) {
            #expect(id == "device/\(first)")
        }
        #expect(passed == first)
    }
}
