import FencepostAnalysis
import FencepostEngine
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostTesting
import Testing

@Suite("Region plan") struct RegionPlanTests {
    private let plane = LocalPlane(origin: Coordinate(latitude: 48.1, longitude: 11.5))

    private func index(_ count: Int, within meters: Double, _ random: inout SeededGenerator) -> RegionIndex {
        RegionIndex(
            RegionCatalog(
                (0..<count).map { number in
                    let center = plane.unproject(
                        east: .random(in: -meters...meters, using: &random),
                        north: .random(in: -meters...meters, using: &random))
                    return Region(id: RegionID("r\(number)"), shape: .circle(Circle(center: center, radius: 250)))
                }))
    }

    private func drive(_ random: inout SeededGenerator, north start: Double? = nil) -> [Location] {
        var (east, north) = (-9000.0, start ?? .random(in: -5000...5000, using: &random))
        return (0..<900).map { step in
            east += 20
            north += .random(in: -15...15, using: &random)
            return Location(
                deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_353_800 + Int64(step) * 4),
                coordinate: plane.unproject(east: east, north: north), horizontalAccuracy: 6)
        }
    }

    @Test(
        "loses no event when the circle is large enough, and never registers more than 20 regions",
        arguments: 1...12 as ClosedRange<UInt64>)
    func losesNothing(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let index = index(150, within: 10_000, &random)
        let fixes = drive(&random)
        var plan = RegionPlan(index)
        for fix in fixes { try plan.take(fix) }
        var settings = MonitorSettings()
        (settings.crossing, settings.visits, settings.staleAfter) = (.coreLocation, nil, nil)
        var engine = MonitorEngine(index, settings: settings)
        var emitted = 0
        for fix in fixes { _ = try engine.accept(fix) { _ in emitted += 1 } }
        #expect(plan.caught + plan.lost.count == emitted)
        #expect(plan.lost.isEmpty)
        #expect(plan.registrations.count > 1)
        let largest = plan.registrations.map { $0.regions.count + ($0.circle == nil ? 0 : 1) }.max()
        #expect(largest == 20)
    }

    @Test("registers all regions once when they fit")
    func fits() throws {
        var random = SeededGenerator(seed: 5)
        let index = index(20, within: 3000, &random)
        var plan = RegionPlan(index)
        for fix in drive(&random) { try plan.take(fix) }
        let registrations = plan.registrations
        #expect(registrations.count == 1)
        #expect(registrations.first?.circle == nil)
        #expect(registrations.first?.regions.count == 20)
    }

    @Test("lists lost events when too many regions are near")
    func crowded() throws {
        var random = SeededGenerator(seed: 9)
        // 600 regions of 250 m along 3 km of the track: 20 at a time are not enough.
        let index = index(600, within: 1500, &random)
        var plan = RegionPlan(index)
        for fix in drive(&random, north: 0) { try plan.take(fix) }
        let lost = plan.lost.count
        #expect(lost > 0 && plan.caught > 0)
    }
}
