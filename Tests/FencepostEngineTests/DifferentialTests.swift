import FencepostEngine
import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostTesting
import Foundation
import Testing

/// The engine as the service runs it, against the slow way: one engine for each device, a new index for each
/// change, every fix queried without cached safe regions.
@Suite("Differential evaluation") struct DifferentialTests {
    /// What arrives, in its order.
    private enum Input {
        case fix(Location, now: Timestamp)
        case clock(Timestamp)
        case regions(changed: [Region], removed: [RegionID], now: Timestamp)
    }

    /// A random world of one hour and more: devices among regions that change, with late and repeated fixes.
    private struct World {
        static let devices = ["a", "b", "c"]
        var random: SeededGenerator
        var settings = MonitorSettings()
        var inputs: [Input] = []
        private let plane: LocalPlane
        private var zone: TimeZone { TimeZone(identifier: "Europe/Lisbon") ?? .gmt }

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
            plane = LocalPlane(
                origin: Coordinate(latitude: 38.7, longitude: seed.isMultiple(of: 3) ? 179.998 : -9.14))
            settings.crossing = CrossingMode.allCases.randomElement(using: &random) ?? .raw
            settings.reorderWindow = chance(0.3) ? .seconds(60) : .zero
            settings.staleAfter = chance(0.3) ? .seconds(900) : nil
            if chance(0.5) { settings.visits = nil }
            if chance(0.5), let limit = SpeedLimit(20), let fast = SpeedLimit(60) {
                settings.alerts = [
                    AlertRule(
                        id: "slow", .speed(above: limit, tolerance: 0.5), hold: .seconds(30),
                        devices: [GlobPattern("[ab]"), GlobPattern("a*"), GlobPattern("b")]),
                    AlertRule(id: "jump", .jump(above: fast)),
                    AlertRule(id: "accuracy", .accuracy(above: 20), hold: .seconds(60)),
                    AlertRule(id: "silent", .silent(longerThan: .seconds(120)), devices: [GlobPattern("a*")]),
                ]
            }
            fill()
        }

        mutating func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        mutating func chance(_ part: Double) -> Bool { number(0...1) < part }

        private mutating func region(_ index: Int, around now: Timestamp) -> Region {
            let center = plane.unproject(east: number(-900...900), north: number(-900...900))
            var shape = Shape.circle(Circle(center: center, radius: number(40...500)))
            if chance(0.4) {
                let ring = LocalPlane(origin: center)
                let corners = [(1.0, 0.2), (0.3, 1), (-1, 0.5), (-0.2, 0), (-0.7, -1), (0.8, -0.8)].map {
                    ring.unproject(east: $0.0 * 300, north: $0.1 * 300)
                }
                shape = .polygons(MultiPolygon([Polygon(exterior: LinearRing(corners + corners.prefix(1)))]))
            }
            var region = Region(id: RegionID("region-\(index)"), shape: shape)
            region.crossing = chance(0.4) ? CrossingMode.allCases.randomElement(using: &random) : nil
            if chance(0.3) { region.speedLimit = SpeedLimit(number(5...40)) }
            if chance(0.3) { region.dwells = [.seconds(60), .seconds(600)] }
            if chance(0.1) { region.devices = [GlobPattern("[ab]"), GlobPattern("a*")] }
            if chance(0.1) { region.initialState = .silent }
            if chance(0.1) { (region.minAltitude, region.maxAltitude) = (5, 15) }
            if chance(0.1) { region.expires = now + .seconds(Int(number(300...3000))) }
            if chance(0.15) {
                let start = Int(number(0...1439))
                region.schedule = Schedule(
                    timeZone: zone,
                    weekly: [.init(weekdays: Set(0...6), start: start, end: (start + Int(number(10...700))) % 1440)])
            }
            return region
        }

        private mutating func fill() {
            var now = Timestamp(seconds: 1_772_353_800 + Int64(number(0...80_000)))
            var positions = Self.devices.map { _ in (east: number(-500...500), north: number(-500...500)) }
            var sent: [Location] = []
            inputs.append(.regions(changed: (0..<12).map { region($0, around: now) }, removed: [], now: now))
            for _ in 0..<500 {
                now = now + .milliseconds(Int64(number(200...(chance(0.03) ? 900_000 : 12_000))))
                if chance(0.02) {
                    let index = Int(number(0...14.99))
                    let isRemoval = chance(0.3)
                    inputs.append(
                        .regions(
                            changed: isRemoval ? [] : [region(index, around: now)],
                            removed: isRemoval ? [RegionID("region-\(index)")] : [], now: now))
                }
                if chance(0.3) { inputs.append(.clock(now)) }
                if chance(0.05), let old = sent.randomElement(using: &random) {
                    inputs.append(.fix(old, now: now))
                    continue
                }
                let device = Int(number(0...2.99))
                positions[device].east = min(max(positions[device].east + number(-90...90), -1400), 1400)
                positions[device].north = min(max(positions[device].north + number(-90...90), -1400), 1400)
                var fix = Location(
                    deviceID: DeviceID(Self.devices[device]),
                    timestamp: chance(0.06) ? now - .seconds(Int(number(1...400))) : now,
                    coordinate: plane.unproject(east: positions[device].east, north: positions[device].north),
                    horizontalAccuracy: chance(0.05) ? nil : number(3...(chance(0.05) ? 900 : 50)))
                if chance(0.5) { fix.altitude = number(0...20) }
                if chance(0.4) { fix.speed = number(0...15) }
                sent.append(fix)
                inputs.append(.fix(fix, now: now))
            }
        }

        /// `device`: evaluates only the fixes of this device; `nil` for all.
        /// `isSlow`: whether nothing is reused between fixes and changes.
        func events(of device: String?, isSlow: Bool) throws -> [Event] {
            var catalog = RegionCatalog()
            var engine = MonitorEngine(RegionIndex(catalog), settings: settings, isThorough: isSlow)
            var events: [Event] = []
            for input in inputs {
                switch input {
                case .fix(let fix, let now):
                    guard device == nil || fix.deviceID.rawValue == device else { continue }
                    _ = try engine.accept(fix, now: now) { events.append($0) }
                case .clock(let now): try engine.advanceClock(to: now) { events.append($0) }
                case .regions(let changed, let removed, let now):
                    catalog.update(changed, removing: removed)
                    let handles = (changed.map(\.id) + removed).compactMap { catalog.handle(for: $0) }
                    let index =
                        isSlow ? RegionIndex(catalog) : engine.index.updated(to: catalog, changed: handles)
                    try engine.replace(index, at: now) { events.append($0) }
                }
            }
            try engine.finish { events.append($0) }
            return events
        }
    }

    @Test("gives the events of the slow way in random worlds", arguments: 1...20 as ClosedRange<UInt64>)
    func worlds(seed: UInt64) throws {
        let world = World(seed: seed)
        let quick = try world.events(of: nil, isSlow: false)
        for device in World.devices {
            let slow = try world.events(of: device, isSlow: true)
            #expect(quick.filter { $0.deviceID.rawValue == device } == slow)
        }
        #expect(Set(quick.map(\.id)).count == quick.count)
    }

    /// Each fix of a world, asked of an index that was updated through all changes and of GEOS, polygon by polygon.
    @Test("asks an index that covers a fix exactly where GEOS does", arguments: 1...20 as ClosedRange<UInt64>)
    func containment(seed: UInt64) throws {
        var catalog = RegionCatalog()
        var query = RegionQuery(RegionIndex(catalog))
        var polygons: [RegionHandle: PreparedPolygons] = [:]
        let context = GEOSContext()
        var (found, checked): ([RegionHandle], Int) = ([], 0)
        for input in World(seed: seed).inputs {
            switch input {
            case .clock: continue
            case .regions(let changed, let removed, _):
                catalog.update(changed, removing: removed)
                let handles = (changed.map(\.id) + removed).compactMap { catalog.handle(for: $0) }
                query = RegionQuery(query.index.updated(to: catalog, changed: handles))
                for handle in handles { polygons[handle] = nil }
                for handle in handles {
                    guard case .polygons(let shape) = catalog[handle]?.shape else { continue }
                    polygons[handle] = try PreparedPolygons(shape, in: context)
                }
            case .fix(let fix, _):
                try query.covering(fix.coordinate, into: &found)
                for (handle, shape) in polygons {
                    let isCovered = try shape.covers(fix.coordinate)
                    #expect(found.contains(handle) == isCovered, "\(fix.coordinate)")
                    checked += isCovered ? 1 : 0
                }
            }
        }
        #expect(checked > 0)
    }
}
