import FencepostGeometry
import FencepostModel
import FencepostTesting
import Foundation
import Testing

@testable import FencepostMonitor

@Suite("Reorder buffer") struct ReorderBufferTests {
    private static let device: UInt64 = 1

    private func fix(_ seconds: Int64, latitude: Double = 0, accuracy: Double? = nil) -> Location {
        Location(
            deviceID: DeviceID("d"), timestamp: Timestamp(seconds: seconds),
            coordinate: Coordinate(latitude: latitude, longitude: 0), horizontalAccuracy: accuracy)
    }

    /// A buffer with its memory, and the seconds of the fixes that it has released.
    private struct Inbox {
        var buffer = ReorderBuffer()
        var memory = FixMemory(capacity: 100)
        let window: Duration
        var released: [Location] = []

        init(window: Int64) { self.window = .seconds(window) }

        mutating func take(_ fix: Location) -> ReorderBuffer.Verdict {
            buffer.accept(fix, of: ReorderBufferTests.device, window: window, memory: &memory) { released.append($0) }
        }

        var seconds: [Int64] { released.map { $0.timestamp.milliseconds / 1000 } }
    }

    @Test("releases fixes at once without a window, and rejects late fixes and duplicates")
    func noWindow() {
        var inbox = Inbox(window: 0)
        #expect(inbox.take(fix(10)) == .accepted)
        #expect(inbox.take(fix(10)) == .duplicate)
        #expect(inbox.take(fix(10, latitude: 1)) == .accepted)
        #expect(inbox.take(fix(9)) == .late)
        #expect(inbox.take(fix(9)) == .duplicate)
        #expect(inbox.take(fix(20)) == .accepted)
        #expect(inbox.take(fix(10)) == .duplicate)
        #expect(inbox.seconds == [10, 10, 20])
        #expect(inbox.buffer.bufferedCount == 0 && inbox.buffer.deadline(window: .zero) == nil)
    }

    @Test("sorts fixes within the window, by the time of the newest one")
    func window() {
        var inbox = Inbox(window: 30)
        #expect(inbox.take(fix(100)) == .accepted)
        #expect(inbox.take(fix(90)) == .accepted)
        #expect(inbox.buffer.bufferedCount == 2 && inbox.seconds == [])
        #expect(inbox.buffer.deadline(window: .seconds(30)) == Timestamp(seconds: 120))
        #expect(inbox.take(fix(120)) == .accepted)
        #expect(inbox.seconds == [90])
        #expect(inbox.take(fix(90, latitude: 1)) == .accepted)
        #expect(inbox.seconds == [90, 90])
        #expect(inbox.take(fix(89)) == .late)
        #expect(inbox.take(fix(100)) == .duplicate)
        inbox.buffer.release(through: Timestamp(seconds: 119)) { inbox.released.append($0) }
        #expect(inbox.seconds == [90, 90, 100])
        inbox.buffer.finish { inbox.released.append($0) }
        #expect(inbox.seconds == [90, 90, 100, 120] && inbox.buffer.bufferedCount == 0)
        #expect(inbox.take(fix(119)) == .late)
    }

    @Test(
        "knows of a fix that was ahead of its arrival until a newer one is released, also in a stored state",
        arguments: [false, true])
    func remembersAhead(isStored: Bool) throws {
        var inbox = Inbox(window: 0)
        #expect(inbox.take(fix(100)) == .accepted)
        let verdict = inbox.buffer.arrive(
            fix(1000), of: Self.device, at: Timestamp(seconds: 500), memory: &inbox.memory)
        #expect(verdict == .ahead)
        var buffer = inbox.buffer
        if isStored { buffer = try JSONDecoder().decode(ReorderBuffer.self, from: JSONEncoder().encode(buffer)) }
        // Its memory may be gone when it arrives again and its time has passed.
        #expect(!buffer.isNew(Timestamp(seconds: 1000), at: Timestamp(seconds: 5000)))
        #expect(buffer.isNew(Timestamp(seconds: 1001), at: Timestamp(seconds: 5000)))
        inbox.buffer = buffer
        #expect(inbox.take(fix(900)) == .accepted)
        #expect(!inbox.buffer.isNew(Timestamp(seconds: 1000), at: Timestamp(seconds: 5000)))
        #expect(inbox.take(fix(1001)) == .accepted)
        #expect(inbox.buffer.isNew(Timestamp(seconds: 1002), at: Timestamp(seconds: 5000)))
        // The clock of the device is right again, so nothing waits.
        _ = inbox.buffer.arrive(fix(1002), of: Self.device, at: Timestamp(seconds: 1002), memory: &inbox.memory)
        #expect(inbox.buffer.heapByteCount == 0)
    }

    @Test("knows whether a fix is newer than all before, and does not for one that is ahead of its arrival")
    func isNew() {
        var inbox = Inbox(window: 30)
        #expect(!inbox.buffer.isNew(Timestamp(seconds: 100), at: Timestamp(seconds: 69)))
        #expect(inbox.buffer.isNew(Timestamp(seconds: 1), at: Timestamp(seconds: 1)))
        _ = inbox.take(fix(100))
        #expect(
            !inbox.buffer.isNew(Timestamp(seconds: 100), at: Timestamp(seconds: 100))
                && inbox.buffer.isNew(Timestamp(seconds: 101), at: Timestamp(seconds: 101)))
        inbox.buffer.finish { _ in }
        #expect(
            !inbox.buffer.isNew(Timestamp(seconds: 100), at: Timestamp(seconds: 100))
                && inbox.buffer.isNew(Timestamp(seconds: 101), at: Timestamp(seconds: 101)))
    }

    @Test("orders fixes of one time independently of their arrival", arguments: 1...20 as ClosedRange<UInt64>)
    func sameTime(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let fixes = [
            fix(10), fix(10, latitude: 1), fix(10, latitude: 2, accuracy: 5), fix(10, latitude: -1, accuracy: 5),
        ]
        var inbox = Inbox(window: 30)
        for fix in fixes.shuffled(using: &random) { #expect(inbox.take(fix) == .accepted) }
        inbox.buffer.finish { inbox.released.append($0) }
        #expect(inbox.released == [fixes[3], fixes[2], fixes[0], fixes[1]])
    }

    @Test("releases what sorting gives, whatever the delays within the window", arguments: 1...40)
    func sorts(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let fixes = (0..<200).map { fix(Int64($0) * 3, latitude: Double($0 % 7)) }
        let arrivals = fixes.map { ($0, $0.timestamp.milliseconds + Int64.random(in: 0...29_000, using: &random)) }
            .sorted { $0.1 < $1.1 }.map(\.0)
        var inbox = Inbox(window: 30)
        for (number, fix) in arrivals.enumerated() {
            #expect(inbox.take(fix) == .accepted)
            guard number % 17 == 0 else { continue }
            let stored = try JSONEncoder().encode(inbox.buffer)
            let restored = try JSONDecoder().decode(ReorderBuffer.self, from: stored)
            #expect(restored == inbox.buffer)
            inbox.buffer = restored
        }
        inbox.buffer.finish { inbox.released.append($0) }
        #expect(inbox.released == fixes)
    }

    @Test("is stored under the keys of earlier versions")
    func stored() throws {
        var inbox = Inbox(window: 30)
        _ = inbox.take(fix(10))
        _ = inbox.take(fix(41))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = String(decoding: try encoder.encode(inbox.buffer), as: UTF8.self)
        #expect(text.hasPrefix(#"{"handedOn":10000,"held":[{"#) && text.hasSuffix(#"],"newest":41000}"#))
    }
}

@Suite("Fix memory") struct FixMemoryTests {
    private func fix(_ seconds: Int64) -> Location {
        Location(
            deviceID: DeviceID("d"), timestamp: Timestamp(seconds: seconds),
            coordinate: Coordinate(latitude: 0, longitude: 0))
    }

    @Test("remembers at least its capacity, and at most twice that", arguments: [false, true])
    func capacity(looksUpEarly: Bool) {
        var memory = FixMemory(capacity: 10)
        func isKnown(_ second: Int64, of device: UInt64 = 1) -> Bool { memory.contains(fix(second), of: device) }
        if looksUpEarly { #expect(!isKnown(0)) }
        for second in 0..<35 as Range<Int64> { memory.insert(fix(second), of: 1) }
        for second in 25..<35 as Range<Int64> { #expect(isKnown(second)) }
        for second in 0..<15 as Range<Int64> { #expect(!isKnown(second)) }
        #expect(!isKnown(34, of: 2))
    }
}
