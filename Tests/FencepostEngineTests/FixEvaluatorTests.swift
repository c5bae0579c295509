import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostTesting
import FencepostWorkload
import Foundation
import Testing

@testable import FencepostEngine

/// The evaluator must give the same events and states with its shortcuts (`FixPlan`) as without.
@Suite("Fix evaluator") struct FixEvaluatorTests {
    /// A random world: regions of random kinds around a point, and a device that stands, walks and drives among them.
    private struct World {
        let catalog: RegionCatalog
        let settings: MonitorSettings
        let explains: Bool
        let fixes: [Location]

        init(seed: UInt64, modes: [CrossingMode]) {
            var random = SeededGenerator(seed: seed)
            func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
            func chance(_ share: Double) -> Bool { number(0...1) < share }
            // Every fourth world lies across the antimeridian.
            let longitude = seed.isMultiple(of: 4) ? 179.999 : number(-170...170)
            let plane = LocalPlane(origin: Coordinate(latitude: number(-60...60), longitude: longitude))
            var regions = (0..<20).map { index in
                let center = plane.unproject(east: number(-1500...1500), north: number(-1500...1500))
                var region = Region(
                    id: RegionID("region-\(index)"),
                    shape: .circle(Circle(center: center, radius: number(20...600))))
                region.crossing = modes.randomElement(using: &random)
                if chance(0.3) { region.dwells = [.seconds(60), .seconds(600)] }
                if chance(0.1) { region.devices = [GlobPattern("other")] }
                if chance(0.1) { region.initialState = .silent }
                return region
            }
            if modes.contains(.coreLocation) { regions[0].minAltitude = 10 }
            var settings = MonitorSettings()
            settings.crossing = modes[0]
            settings.cushion = number(5...250)
            settings.staleAfter = chance(0.5) ? nil : .seconds(900)
            if chance(0.5) { settings.visits = nil }
            explains = seed.isMultiple(of: 5)
            var time = Timestamp(seconds: 1_772_353_800)
            var (east, north, speed, course) = (0.0, 0.0, 0.0, 0.0)
            fixes = (0..<1500).map { _ in
                if chance(0.03) { (speed, course) = ([0, 0, 1.4, 12][Int(number(0...3.99))], number(0...360)) }
                let seconds = chance(0.02) ? number(100...4000) : number(1...20)
                time = time + .milliseconds(Int64(seconds * 1000))
                east = min(max(east + speed * min(seconds, 60) * sin(course), -2500), 2500)
                north = min(max(north + speed * min(seconds, 60) * cos(course), -2500), 2500)
                let accuracy = chance(0.03) ? 1500 : number(4...60)
                let isLeap = chance(0.01)
                var fix = Location(
                    deviceID: DeviceID("d"), timestamp: time,
                    coordinate: plane.unproject(
                        east: east + (isLeap ? 1800 : number(-0.3...0.3) * accuracy),
                        north: north + number(-0.3...0.3) * accuracy),
                    horizontalAccuracy: chance(0.05) ? nil : accuracy)
                if speed > 0, chance(0.8) { fix.speed = speed }
                if chance(0.5) { fix.altitude = number(0...20) }
                return fix
            }
            catalog = RegionCatalog(regions)
            self.settings = settings
        }

        /// The events, and the state after each fix.
        func evaluate(isThorough: Bool) throws -> (events: [Event], states: [DeviceMonitor.Snapshot]) {
            let rules = WatchRules(catalog, settings)
            var evaluator = FixEvaluator(
                RegionIndex(catalog), rules: rules, explains: explains, isThorough: isThorough)
            var monitor = DeviceMonitor(deviceID: DeviceID("d"), settings: settings)
            var events: [Event] = []
            var states: [DeviceMonitor.Snapshot] = []
            for fix in fixes {
                try evaluator.evaluate(fix, &monitor) { events.append($0) }
                states.append(monitor.snapshot(in: catalog))
            }
            return (events, states)
        }
    }

    @Test(
        "gives the same events and states as without shortcuts",
        arguments: [[.raw], [.confirmed], [.confirmed, .raw], CrossingMode.allCases] as [[CrossingMode]],
        1...3 as ClosedRange<UInt64>)
    func shortcuts(modes: [CrossingMode], seed: UInt64) throws {
        let world = World(seed: seed, modes: modes)
        let quick = try world.evaluate(isThorough: false)
        let thorough = try world.evaluate(isThorough: true)
        #expect(quick.events == thorough.events)
        let difference = zip(quick.states, thorough.states).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        #expect(difference == nil, "the states differ from this fix on")
        #expect(!thorough.events.isEmpty)
    }

    @Test("gives the same events without their explanations", arguments: [CrossingMode.raw, .confirmed])
    func unexplained(mode: CrossingMode) throws {
        let city = City(share: 0.03)
        let catalog = RegionCatalog(city.regions(300, crossing: mode, seed: 7))
        let index = RegionIndex(catalog)
        var explained: [Event] = []
        var plain: [Event] = []
        let settings = MonitorSettings()
        var first = MonitorEngine(index, rules: WatchRules(catalog, settings))
        var second = MonitorEngine(index, rules: WatchRules(catalog, settings, explains: false))
        var fleet = CityFleet(city, devices: 50, seed: 3)
        for _ in 0..<3000 {
            let fix = fleet.fix()
            _ = try first.accept(fix) { explained.append($0) }
            _ = try second.accept(fix) { plain.append($0) }
        }
        #expect(explained.contains { $0.why != nil })
        for index in explained.indices { explained[index].why = nil }
        #expect(explained.count > 100)
        #expect(explained == plain)
    }

    @Test("gives the same events for fixes that are looked up at once") func ahead() throws {
        let city = City(share: 0.03)
        let catalog = RegionCatalog(city.regions(300, seed: 7))
        let index = RegionIndex(catalog)
        var single = MonitorEngine(index, settings: MonitorSettings())
        var batched = MonitorEngine(index, settings: MonitorSettings())
        var fleet = CityFleet(city, devices: 50, seed: 3)
        var events: (single: [Event], batched: [Event]) = ([], [])
        for _ in 0..<20 {
            let fixes = (0..<300).map { _ in fleet.fix() }
            try batched.lookAhead(fixes.map(\.coordinate))
            for (number, fix) in fixes.enumerated() {
                _ = try single.accept(fix) { events.single.append($0) }
                var device = batched.deviceIndex(of: fix.deviceID)
                _ = try batched.accept(fix, at: &device, ahead: number) { events.batched.append($0) }
            }
        }
        #expect(events.single.count > 100)
        #expect(events.single == events.batched)
    }

    /// A fleet in a city, where nearly every fix crosses or approaches a boundary.
    @Test(
        "gives the same events as without shortcuts in a crowded city",
        arguments: [(CrossingMode.raw, true), (.raw, false), (.confirmed, false)], [1000.0, 10_000, 100_000])
    func city(_ kind: (mode: CrossingMode, isPlain: Bool), density: Double) throws {
        let city = City(share: 300 / density)
        var regions = city.regions(300, seed: 7)
        if !kind.isPlain {
            // A few regions need more than a comparison of two lists.
            regions[0].dwells = [.seconds(30)]
            regions[1].notifyOnExit = false
            regions[2].initialState = .silent
        }
        let catalog = RegionCatalog(regions)
        let index = RegionIndex(catalog)
        var settings = MonitorSettings()
        (settings.crossing, settings.staleAfter) = (kind.mode, .seconds(100))
        let rules = WatchRules(catalog, settings)
        var quick = FixEvaluator(index, rules: rules, explains: false, isThorough: false)
        var thorough = FixEvaluator(index, rules: rules, explains: false, isThorough: true)
        var fleet = CityFleet(city, devices: 50, seed: 3)
        var monitors: [DeviceID: (quick: DeviceMonitor, thorough: DeviceMonitor)] = [:]
        var events: (quick: [Event], thorough: [Event]) = ([], [])
        for _ in 0..<5000 {
            let fix = fleet.fix()
            let fresh = DeviceMonitor(deviceID: fix.deviceID, settings: settings)
            var pair = monitors[fix.deviceID] ?? (fresh, fresh)
            try quick.evaluate(fix, &pair.quick) { events.quick.append($0) }
            try thorough.evaluate(fix, &pair.thorough) { events.thorough.append($0) }
            monitors[fix.deviceID] = pair
        }
        #expect(events.quick.count > 100)
        #expect(events.quick == events.thorough)
        for (quick, thorough) in monitors.values {
            #expect(quick.snapshot(in: catalog) == thorough.snapshot(in: catalog))
        }
    }

    /// A device in a region of 300 m that gets one fix every 20 seconds.
    private func plans(_ easts: [Double], _ mode: CrossingMode) throws -> [String] {
        let center = Coordinate(latitude: 48.85, longitude: 2.35)
        let catalog = RegionCatalog([
            Region(id: RegionID("a"), shape: .circle(Circle(center: center, radius: 300)))
        ])
        var settings = MonitorSettings()
        (settings.crossing, settings.visits) = (mode, nil)
        let rules = WatchRules(catalog, settings)
        var evaluator = FixEvaluator(RegionIndex(catalog), rules: rules, explains: false, isThorough: false)
        var monitor = DeviceMonitor(deviceID: DeviceID("d"), settings: settings)
        var plans: [String] = []
        for (index, east) in easts.enumerated() {
            let fix = Location(
                deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_353_800 + 20 * Int64(index)),
                coordinate: LocalPlane(origin: center).unproject(east: east, north: 0), horizontalAccuracy: 5)
            var (copy, covering) = (monitor, [RegionHandle]())
            var plane = LocalPlane(origin: center)
            let plan = copy.plan(for: fix, rules, covering: &covering, plane: &plane)
            try evaluator.evaluate(fix, &monitor) { _ in }
            switch plan {
            case .unchanged: plans.append("unchanged")
            case .cached: plans.append("cached \(covering.count)")
            case .covering(let radius, nil): plans.append("covering \(Int(radius))")
            case .tracked(let radius, nil): plans.append("tracked \(Int(radius))")
            case .near(let radius, nil): plans.append("near \(Int(radius))")
            case .covering, .tracked, .near: plans.append("with a track segment")
            }
        }
        return plans
    }

    @Test("plans the least query that a fix needs")
    func plans() throws {
        // Far outside: the first fix needs the covering regions, and then the safe region is cached.
        #expect(try plans([5000, 5000, 5001], .raw) == ["covering 0", "unchanged", "unchanged"])
        // Inside, far from the boundary.
        #expect(try plans([0, 0, 1], .raw) == ["covering 0", "unchanged", "unchanged"])
        // A tracked region of mode `confirmed` takes every fix.
        #expect(try plans([0, 0, 1], .confirmed) == ["near 75", "cached 1", "cached 1"])
        #expect(try plans([5000, 5000, 5001], .confirmed) == ["near 75", "unchanged", "unchanged"])
        // Near the boundary, but outside of it and untracked.
        #expect(try plans([5000, 350, 340], .confirmed) == ["near 75", "covering 75", "covering 75"])
    }
}
