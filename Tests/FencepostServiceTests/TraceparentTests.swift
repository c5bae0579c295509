import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostService
import FencepostServiceTesting
import FencepostSimulator
import FencepostTesting
import Logging
import Testing

@Suite("The trace of a request") struct TraceparentTests {
    private static let start = Timestamp(seconds: 1_772_000_000)
    private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    /// One message for each event, to one endpoint, with a header of its own.
    private struct EveryEvent: MessageComposer {
        func messages(for event: NewEvent) -> [NewDelivery] {
            [
                NewDelivery(
                    endpointID: "end_a", eventID: event.id, deviceID: event.deviceID, body: "{}",
                    headers: ["content-type": "application/json"], isOrdered: false)
            ]
        }
    }

    private static func entry(of device: String, traceparent: String?) -> Submission {
        var submission = Submission(format: "native")
        submission.traceparent = traceparent
        submission.locations = [(48.9, 0), (48.85, 30)].map { latitude, seconds in
            Location(
                deviceID: DeviceID(device), timestamp: start + .seconds(seconds),
                coordinate: Coordinate(latitude: latitude, longitude: 2.35), horizontalAccuracy: 5)
        }
        return submission
    }

    /// What the messages about a device say, by type of event.
    private static func headers(_ store: MemoryMonitorStore, of device: String) -> [String: [String: String]] {
        let contents = store.contents
        let types = Dictionary(contents.events.map { ($0.id, $0.type) }) { first, _ in first }
        let own = contents.deliveries.filter { $0.deviceID == DeviceID(device) }
        return Dictionary(own.map { (types[$0.eventID] ?? "", $0.headers) }) { first, _ in first }
    }

    @Test("goes with the events that the request caused, and with no other") func goesWithItsEvents() async throws {
        let store = MemoryMonitorStore()
        let time = ManualTime(Self.start + .seconds(60))
        var settings = MonitorSettings()
        settings.crossing = .raw
        let worker = MonitorWorker(
            store: store, composer: EveryEvent(), settings: settings, clock: time.clock,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
            sleep: { try await time.sleep(for: $0) })
        var region = Region(
            id: RegionID("a"), shape: .circle(Circle(center: Coordinate(latitude: 48.85, longitude: 2.35), radius: 350))
        )
        region.dwells = [.seconds(600)]
        try await withThrowingTaskGroup(of: Void.self) { [region] group in
            group.addTask { try await worker.run() }
            await worker.waitUntilStarted()
            _ = try await worker.editRegions { _ in RegionEdit(changed: [region]) }
            // Together, so that one turn may hold both.
            async let traced = worker.submit(Self.entry(of: "traced", traceparent: Self.trace))
            async let plain = worker.submit(Self.entry(of: "plain", traceparent: nil))
            _ = try await (traced, plain)
            // The clock says that it dwells, and a change of the regions that it leaves: nobody's request.
            while !store.contents.events.contains(where: { $0.type == "region.dwelled" }) {
                time.advance(by: .seconds(60))
                await Task.yield()
            }
            _ = try await worker.editRegions { _ in RegionEdit(removed: [RegionID("a")]) }
            group.cancelAll()
        }
        let traced = Self.headers(store, of: "traced")
        #expect(traced["region.entered"] == ["content-type": "application/json", "traceparent": Self.trace])
        #expect(traced["region.dwelled"] == ["content-type": "application/json"])
        #expect(traced["region.exited"] == ["content-type": "application/json"])
        #expect(Self.headers(store, of: "plain")["region.entered"] == ["content-type": "application/json"])
    }
}
