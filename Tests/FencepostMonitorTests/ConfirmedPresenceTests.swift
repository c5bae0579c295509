import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostTesting
import Foundation
import Testing

/// One device before one circle, without any index.
private final class Watch {
    private let circle: Circle
    private let plane: LocalPlane
    var judge = FixJudge()
    var presence: ConfirmedPresence
    private var seconds: Int64 = 0

    init(radius: Double = 100, presence: ConfirmedPresence = ConfirmedPresence(.unknown)) {
        circle = Circle(center: Coordinate(latitude: 37.55, longitude: 126.99), radius: radius)
        plane = LocalPlane(origin: circle.center)
        self.presence = presence
    }

    /// A fix so many metres east of the middle, some seconds after the last.
    func fix(
        at east: Double, after interval: Int64, accuracy: Double? = 10, speed: Double? = nil
    ) -> PresenceChange? {
        seconds += interval
        var fix = Location(
            deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_000_000 + seconds),
            coordinate: plane.unproject(east: east, north: 0), horizontalAccuracy: accuracy)
        fix.speed = speed
        return handle(fix)
    }

    var copy: Watch {
        let copy = Watch(radius: circle.radius, presence: presence)
        copy.judge = judge
        copy.seconds = seconds
        return copy
    }

    func handle(_ fix: Location) -> PresenceChange? {
        let evidence = judge.judge(fix)
        let distance = plane.distance(to: fix.coordinate) - circle.radius
        let proximity = Proximity(
            region: RegionHandle(0), covers: distance <= 0, signedDistance: distance, width: 2 * circle.radius)
        return presence.handle(distance > evidence.reach ? nil : proximity, fix, evidence)
    }
}

@Suite("Confirmed presence") struct ConfirmedPresenceTests {
    @Test("settles on the first clear fix", arguments: [(0.0, true), (400.0, false)])
    func first(east: Double, isInside: Bool) throws {
        let watch = Watch()
        let change = try #require(watch.fix(at: east, after: 0))
        #expect(change.isInitial && change.isInside == isInside)
        #expect(watch.presence.isInside == isInside)
    }

    @Test("leaves it open where the first fix may be on either side")
    func undecided() {
        let watch = Watch()
        #expect(watch.fix(at: 101, after: 0, accuracy: 60) == nil)
        #expect(watch.presence.isInside == nil)
        #expect(!watch.presence.isAtRest)
    }

    @Test("enters and exits by one clear satellite fix")
    func clearFix() throws {
        let watch = Watch()
        _ = watch.fix(at: 400, after: 0, speed: 8)
        #expect(watch.fix(at: 200, after: 25, speed: 8) == nil)
        let entry = try #require(watch.fix(at: 0, after: 25, speed: 8))
        #expect(entry.isInside && !entry.isInitial && entry.timestamp == entry.detectedAt)
        #expect(watch.fix(at: -40, after: 25, speed: 2) == nil)
        let exit = try #require(watch.fix(at: -300, after: 30, speed: 8))
        #expect(!exit.isInside)
    }

    @Test("makes no event of one leap to a cell tower and back", arguments: [20.0, 300, 1500] as [Double])
    func tower(accuracy: Double) {
        let watch = Watch()
        for index in 0..<20 { _ = watch.fix(at: Double(index % 3), after: 30, accuracy: 20) }
        #expect(watch.fix(at: 1800, after: 30, accuracy: accuracy) == nil)
        for index in 0..<20 { #expect(watch.fix(at: Double(index % 3), after: 30, accuracy: 20) == nil) }
        #expect(watch.presence.isInside == true)
    }

    @Test("makes no event of a burst of fixes from one tower")
    func burst() {
        let watch = Watch()
        for index in 0..<20 { _ = watch.fix(at: Double(index % 3), after: 30, accuracy: 20) }
        for _ in 0..<6 { #expect(watch.fix(at: 1800, after: 15, accuracy: 50) == nil) }
        #expect(watch.presence.isInside == true)
        #expect(watch.judge.doubts.leap == 6)
    }

    @Test("does not flap on the boundary")
    func boundary() {
        let watch = Watch()
        var random = SeededGenerator(seed: 7)
        var changes = 0
        for _ in 0..<500 {
            let east = 100 + Double.random(in: -12...12, using: &random)
            if watch.fix(at: east, after: 10, accuracy: 20) != nil { changes += 1 }
        }
        #expect(changes <= 3)
    }

    @Test("enters a café of 25 m with fixes that are good to 30 m")
    func smallRegion() {
        let watch = Watch(radius: 25)
        _ = watch.fix(at: 300, after: 0, accuracy: 12, speed: 1.3)
        #expect(watch.fix(at: 60, after: 180, accuracy: 12, speed: 1.3) == nil)
        var entered = false
        for east in [4.0, -6, 3, -2, 5, 1] {
            entered = watch.fix(at: east, after: 60, accuracy: 30)?.isInside ?? entered
        }
        #expect(entered)
    }

    @Test("says with an entry when the fixes began to agree")
    func timestamp() throws {
        let watch = Watch()
        _ = watch.fix(at: 400, after: 0, accuracy: 15)
        _ = watch.fix(at: 130, after: 10, accuracy: 40)
        var change: PresenceChange?
        var first: Int64?
        for index in 1...20 where change == nil {
            change = watch.fix(at: 70 - 3 * Double(index), after: 5, accuracy: 45)
            if first == nil { first = 1_772_000_015 }
        }
        let entry = try #require(change)
        #expect(entry.timestamp == first.map { Timestamp(seconds: $0) })
        #expect(entry.timestamp < entry.detectedAt)
        #expect(entry.why.heldBack == [entry.timestamp])
    }

    @Test("takes 24 bytes a pair and 128 a device")
    func size() {
        #expect(MemoryLayout<ConfirmedPresence>.size <= 24)
        #expect(MemoryLayout<FixJudge>.size <= 128)
    }
}

@Suite("Confirmed presence, whatever comes") struct ConfirmedPresenceProperties {
    private func watch(seed: UInt64) -> (Watch, [Location]) {
        var device = WanderingDevice(seed: seed)
        let fixes = device.fixes(800)
        // A region where the device starts, so that it is left and entered.
        return (Watch(), fixes.map { moved($0, from: fixes[0].coordinate) })
    }

    private func moved(_ fix: Location, from origin: Coordinate) -> Location {
        let (east, north) = LocalPlane(origin: origin).project(fix.coordinate)
        var fix = fix
        fix.coordinate = LocalPlane(origin: Coordinate(latitude: 37.55, longitude: 126.99))
            .unproject(east: east, north: north)
        return fix
    }

    @Test("never enters or exits twice in a row", arguments: 1...60 as ClosedRange<UInt64>)
    func alternates(seed: UInt64) {
        let (watch, fixes) = watch(seed: seed)
        var isInside: Bool?
        for fix in fixes {
            guard let change = watch.handle(fix) else { continue }
            #expect(change.isInitial == (isInside == nil))
            #expect(change.isInside != isInside)
            #expect(change.timestamp <= change.detectedAt && change.detectedAt == fix.timestamp)
            #expect((0...1).contains(change.confidence ?? -1))
            isInside = change.isInside
        }
        #expect(isInside != nil)
    }

    @Test("goes on after a snapshot as if nothing had been", arguments: 1...20 as ClosedRange<UInt64>)
    func snapshots(seed: UInt64) throws {
        let (watch, fixes) = watch(seed: seed)
        for fix in fixes.prefix(150) {
            let restored = watch.copy
            restored.judge = try JSONDecoder().decode(FixJudge.self, from: JSONEncoder().encode(watch.judge))
            restored.presence = try JSONDecoder()
                .decode(ConfirmedPresence.self, from: JSONEncoder().encode(watch.presence))
            #expect(restored.handle(fix) == watch.handle(fix))
            #expect(restored.judge == watch.judge && restored.presence == watch.presence)
        }
    }

    @Test("forgets a pair at rest without a trace", arguments: 1...40 as ClosedRange<UInt64>)
    func atRest(seed: UInt64) {
        let (watch, fixes) = watch(seed: seed)
        let forgetful = watch.copy
        var last: Timestamp?
        var (kept, renewed): ([Bool], [Bool]) = ([], [])
        for fix in fixes {
            if forgetful.presence.isAtRest, let last { forgetful.presence = ConfirmedPresence(.outside(since: last)) }
            if let change = watch.handle(fix) { kept.append(change.isInside) }
            if let change = forgetful.handle(fix) { renewed.append(change.isInside) }
            last = fix.timestamp
        }
        #expect(abs(kept.count - renewed.count) <= 2)
    }
}
