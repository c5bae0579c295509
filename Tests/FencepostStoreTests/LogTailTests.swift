import FencepostModel
import FencepostService
import FencepostTesting
import Testing

@testable import FencepostStore

@Suite("The end of the log") struct LogTailTests {
    @Test("is known device by device, as a plain list has it", arguments: 1...40 as ClosedRange<UInt64>)
    func agrees(seed: UInt64) {
        var made = MadeUp(seed: seed)
        let tail = LogTail()
        let devices = (0..<12).map { DeviceID("device/\($0)") }
        var rows: [(position: LogPosition, devices: Set<DeviceID>)] = []
        var checkpoints: [DeviceID: LogPosition] = [:]
        var (archived, floor) = (LogPosition(0), LogPosition(0))
        for position in 1...60 as ClosedRange<LogPosition> {
            let some = devices.filter { _ in made.chance(0.3) }
            rows.append((position, Set(some)))
            tail.append(
                position, devices: some, count: some.count, receivedAt: Timestamp(seconds: position),
                isArchived: false)
            if made.chance(0.5) {
                let device = devices[Int.random(in: 0..<devices.count, using: &made.random)]
                let at = LogPosition.random(in: 1...position, using: &made.random)
                checkpoints[device] = max(checkpoints[device] ?? 0, at)
                tail.note(device, at: at)
            }
            if made.chance(0.05) {
                floor = position
                tail.raiseFloor(to: floor)
            }
            if made.chance(0.1) {
                let through = LogPosition.random(in: archived...position, using: &made.random)
                let count = rows.filter { $0.position > archived && $0.position <= through }
                    .reduce(0) { $0 + $1.devices.count }
                archived = through
                tail.didArchive(through: through, fixes: count, next: nil)
            }
            let waiting = rows.filter { $0.position > archived }
            #expect(tail.backlog.fixes == waiting.reduce(0) { $0 + $1.devices.count })
            let found = tail.rows(of: devices)
            for device in devices {
                let known = waiting.filter { $0.devices.contains(device) }.map(\.position)
                #expect(found[device] ?? [] == known)
                #expect(tail.rows(of: device) == known)
            }
            for row in rows {
                let isNeeded =
                    row.position > floor && row.devices.contains { checkpoints[$0] ?? 0 < row.position }
                #expect(tail.isNeeded(row.position, by: Array(row.devices)) == isNeeded)
            }
        }
        #expect(tail.position == 60)
    }

    @Test("numbers devices in the order in which they are met", arguments: 1...10 as ClosedRange<UInt64>)
    func numbers(seed: UInt64) {
        var made = MadeUp(seed: seed)
        var numbers = DeviceNumbers()
        var known: [DeviceID] = []
        for _ in 0..<3000 {
            let id = DeviceID("d\(Int.random(in: 0..<900, using: &made.random))")
            if !known.contains(id) { known.append(id) }
            #expect(numbers.number(of: id) == known.firstIndex(of: id))
        }
        #expect(numbers.devices == known)
    }
}
