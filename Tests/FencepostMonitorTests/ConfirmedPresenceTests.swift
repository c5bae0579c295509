import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostTesting
import Foundation
import Testing

/// One device and one circle, without an index.
private final class Watch {
    private let circle: Circle
    private let plane: LocalPlane
    var trust = TrustEvaluator()
    var presence: ConfirmedPresence
    private var seconds: Int64 = 0
    /// The time of the last fix.
    var now: Timestamp { Timestamp(seconds: 1_772_000_000 + seconds) }

    init(radius: Double = 100, presence: ConfirmedPresence = ConfirmedPresence(.unknown)) {
        circle = Circle(center: Coordinate(latitude: 37.55, longitude: 126.99), radius: radius)
        plane = LocalPlane(origin: circle.center)
        self.presence = presence
    }

    /// A fix some metres east of the centre, `interval` seconds after the last.
    func fix(
        at east: Double, after interval: Int64, accuracy: Double? = 10, speed: Double? = nil
    ) -> PresenceChange? {
        seconds += interval
        var fix = Location(
            deviceID: DeviceID("d"), timestamp: now,
            coordinate: plane.unproject(east: east, north: 0), horizontalAccuracy: accuracy)
        fix.speed = speed
        return handle(fix)
    }

    var copy: Watch {
        let copy = Watch(radius: circle.radius, presence: presence)
        copy.trust = trust
        copy.seconds = seconds
        return copy
    }

    /// The last of the changes that the fix decides.
    func handle(_ fix: Location) -> PresenceChange? { changes(fix).last }

    func changes(_ fix: Location) -> [PresenceChange] {
        let untrusted = trust.untrusted
        let (evidence, confirmsLast) = trust.evaluate(fix)
        var changes: [PresenceChange] = []
        if let untrusted, let change = presence.untrustedFixEnds(isConfirmed: confirmsLast, untrusted: untrusted, fix) {
            changes.append(change)
        }
        let distance = plane.distance(to: fix.coordinate) - circle.radius
        let proximity = Proximity(
            region: RegionHandle(0), covers: distance <= 0, signedDistance: distance, width: 2 * circle.radius)
        if let change = presence.handle(distance > evidence.searchRadius ? nil : proximity, fix, evidence) {
            changes.append(change)
        }
        return changes
    }
}

@Suite("Confirmed presence") struct ConfirmedPresenceTests {
    @Test("is decided by the first clear fix", arguments: [(0.0, true), (400.0, false)])
    func first(east: Double, isInside: Bool) throws {
        let watch = Watch()
        let change = try #require(watch.fix(at: east, after: 0))
        #expect(change.isInitial && change.isInside == isInside)
        #expect(watch.presence.isInside == isInside)
    }

    @Test("stays unknown if the first fix may be on either side")
    func undecided() {
        let watch = Watch()
        #expect(watch.fix(at: 101, after: 0, accuracy: 60) == nil)
        #expect(watch.presence.isInside == nil)
        #expect(!watch.presence.isUntracked)
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

    @Test("ignores one leap to a cell tower and back", arguments: [20.0, 300, 1500] as [Double])
    func tower(accuracy: Double) {
        let watch = Watch()
        for index in 0..<20 { _ = watch.fix(at: Double(index % 3), after: 30, accuracy: 20) }
        #expect(watch.fix(at: 1800, after: 30, accuracy: accuracy) == nil)
        for index in 0..<20 { #expect(watch.fix(at: Double(index % 3), after: 30, accuracy: 20) == nil) }
        #expect(watch.presence.isInside == true)
    }

    @Test("ignores a burst of fixes from one tower, on a device that reports speeds")
    func burst() {
        let watch = Watch()
        _ = watch.fix(at: 60, after: 0, accuracy: 8, speed: 1.3)
        for index in 0..<20 { _ = watch.fix(at: Double(index % 3), after: 30, accuracy: 20) }
        for _ in 0..<6 { #expect(watch.fix(at: 1800, after: 15, accuracy: 50) == nil) }
        #expect(watch.presence.isInside == true)
        #expect(watch.trust.flagCounts.leap == 6)
    }

    @Test("does not flap on the boundary", arguments: 1...20 as ClosedRange<UInt64>)
    func boundary(seed: UInt64) {
        let watch = Watch()
        var random = SeededGenerator(seed: seed)
        var changes: [PresenceChange] = []
        for _ in 0..<500 {
            let east = 100 + Double.random(in: -12...12, using: &random)
            if let change = watch.fix(at: east, after: 10, accuracy: 20) { changes.append(change) }
        }
        // The first fix may be on the wrong side, which later ones correct once. A third change would be flapping.
        #expect(changes.count <= 2)
    }

    @Test("enters a region of 25 m with fixes of 30 m accuracy")
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

    @Test("dates an entry back to the first of the fixes that agree")
    func timestamp() throws {
        let watch = Watch()
        _ = watch.fix(at: 400, after: 0, accuracy: 15)
        _ = watch.fix(at: 130, after: 10, accuracy: 40)
        var inside: [Timestamp] = []
        var change: PresenceChange?
        while change == nil, inside.count < 20 {
            change = watch.fix(at: 67 - 3 * Double(inside.count), after: 5, accuracy: 45)
            inside.append(watch.now)
        }
        let entry = try #require(change)
        #expect(inside.count > 1)
        #expect(entry.timestamp == inside.first && entry.detectedAt == inside.last)
        #expect(entry.why.rule == .fixesAgree && entry.why.pendingFixes == [entry.timestamp])
    }

    @Test("takes 24 bytes per pair and 160 per device")
    func size() {
        #expect(MemoryLayout<ConfirmedPresence>.size <= 24)
        #expect(MemoryLayout<TrustEvaluator>.size <= 160)
    }
}

@Suite("Confirmed presence on random tracks") struct ConfirmedPresenceProperties {
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
            for change in watch.changes(fix) {
                #expect(change.isInitial == (isInside == nil))
                #expect(change.isInside != isInside)
                #expect(change.timestamp <= change.detectedAt && change.detectedAt == fix.timestamp)
                #expect((0...1).contains(change.confidence ?? -1))
                isInside = change.isInside
            }
        }
        #expect(isInside != nil)
    }

    @Test("gives the same changes after a snapshot is restored", arguments: 1...20 as ClosedRange<UInt64>)
    func snapshots(seed: UInt64) throws {
        let (watch, fixes) = watch(seed: seed)
        for fix in fixes.prefix(150) {
            let restored = watch.copy
            restored.trust = try JSONDecoder().decode(TrustEvaluator.self, from: JSONEncoder().encode(watch.trust))
            restored.presence = try JSONDecoder()
                .decode(ConfirmedPresence.self, from: JSONEncoder().encode(watch.presence))
            #expect(restored.handle(fix) == watch.handle(fix))
            #expect(restored.trust == watch.trust && restored.presence == watch.presence)
        }
    }

    @Test("gives the same changes after an untracked state is dropped", arguments: 1...40 as ClosedRange<UInt64>)
    func atRest(seed: UInt64) {
        let (watch, fixes) = watch(seed: seed)
        let forgetful = watch.copy
        var last: Timestamp?
        var (kept, renewed): ([Bool], [Bool]) = ([], [])
        for fix in fixes {
            if forgetful.presence.isUntracked, let last {
                forgetful.presence = ConfirmedPresence(.outside(since: last))
            }
            kept += watch.changes(fix).map(\.isInside)
            renewed += forgetful.changes(fix).map(\.isInside)
            last = fix.timestamp
        }
        #expect(kept == renewed)
    }
}
