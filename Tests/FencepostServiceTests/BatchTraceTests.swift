import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostService
import FencepostServiceTesting
import FencepostTracing
import Logging
import Testing

@Suite("The spans of a submission") struct BatchTraceTests {
    private static let start = Timestamp(seconds: 1_772_000_000)
    private static let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    private static let names = ["wait for evaluation", "evaluate", "wait for commit", "commit"]

    private static func entry(_ device: String, _ traceparent: String?, _ latitude: Double = 48.85) -> Submission {
        var submission = Submission(format: "native")
        submission.traceparent = traceparent
        submission.locations = [
            Location(
                deviceID: DeviceID(device), timestamp: start,
                coordinate: Coordinate(latitude: latitude, longitude: 2.35), horizontalAccuracy: 5)
        ]
        return submission
    }

    /// Runs a worker with one region while the closure runs.
    private func run(
        _ tracer: Tracer?, _ store: MemoryMonitorStore = MemoryMonitorStore(),
        _ body: (MonitorWorker) async throws -> Void
    ) async throws {
        let time = ManualTime(Self.start + .seconds(60))
        var settings = MonitorSettings()
        settings.crossing = .raw
        let worker = MonitorWorker(
            store: store, composer: NoComposer(), settings: settings, clock: time.clock,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), tracer: tracer,
            sleep: { try await time.sleep(for: $0) })
        let region = Region(
            id: RegionID("a"), shape: .circle(Circle(center: Coordinate(latitude: 48.85, longitude: 2.35), radius: 350))
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await worker.run() }
            await worker.waitUntilStarted()
            _ = try await worker.editRegions { _ in RegionEdit(changed: [region]) }
            try await body(worker)
            group.cancelAll()
        }
    }

    private struct NoComposer: MessageComposer {
        func messages(for event: NewEvent) -> [NewDelivery] { [] }
    }

    private static func texts(_ attributes: [Span.Attribute]) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: attributes.map { attribute in
                switch attribute.value {
                case .text(let text): (attribute.name, text)
                case .number(let number): (attribute.name, String(number))
                case .flag(let flag): (attribute.name, String(flag))
                }
            })
    }

    @Test("are those of its way to the disk, with the events that it caused") func spans() async throws {
        let tracer = Tracer(ratio: 0, seed: 1)
        try await run(tracer) { worker in
            // The second one comes in the same batch or in another; its event is not in this trace.
            let results = await worker.submit([
                Self.entry("traced", Self.trace), Self.entry("other", nil),
                Self.entry("silent", Self.trace.dropLast() + "0"),
            ])
            #expect(results.allSatisfy { (try? $0.get().accepted) == 1 })
        }
        let spans = tracer.take(100).spans
        #expect(spans.map(\.name) == Self.names)
        let request = try #require(TraceContext(traceparent: Self.trace))
        for (span, next) in zip(spans, spans.dropFirst().map(\.start) + [.now]) {
            #expect(span.parentID == request.spanID && span.context.traceID == request.traceID)
            #expect(span.kind == .internal && span.failure == nil && span.end <= next)
        }
        let evaluation = try #require(spans.first { $0.name == "evaluate" })
        #expect(
            Self.texts(evaluation.attributes) == [
                "fencepost.locations.accepted": "1", "fencepost.locations.late": "0",
                "fencepost.locations.duplicate": "0", "fencepost.batch.submissions": "3",
            ])
        #expect(evaluation.events.count == 1)
        let event = Self.texts(try #require(evaluation.events.first).attributes)
        #expect(event["fencepost.event.type"] == "region.entered" && event["fencepost.region.id"] == "a")
        #expect(event["fencepost.event.id"]?.hasPrefix("evt_") == true)
        #expect(Set(event.keys) == ["fencepost.event.type", "fencepost.region.id", "fencepost.event.id"])
    }

    @Test("name the device where the settings permit that") func devices() async throws {
        let tracer = Tracer(ratio: 0, includesDevices: true, seed: 1)
        try await run(tracer) { _ = try await $0.submit(Self.entry("traced", Self.trace)) }
        let events = tracer.take(100).spans.flatMap(\.events)
        #expect(events.map { Self.texts($0.attributes)["fencepost.device.id"] } == ["traced"])
    }

    @Test("end with the evaluation where nothing has to be stored") func duplicates() async throws {
        let tracer = Tracer(ratio: 0, seed: 1)
        try await run(tracer) { worker in
            _ = try await worker.submit(Self.entry("traced", nil))
            _ = try await worker.submit(Self.entry("traced", Self.trace))
        }
        let spans = tracer.take(100).spans
        #expect(spans.map(\.name) == ["wait for evaluation", "evaluate"])
        #expect(Self.texts(spans.last?.attributes ?? [])["fencepost.locations.duplicate"] == "1")
    }

    @Test("say that the commit failed") func failures() async throws {
        let (tracer, store) = (Tracer(ratio: 0, seed: 1), MemoryMonitorStore())
        try await run(tracer, store) { worker in
            store.fail(1)
            await #expect(throws: MonitorFailure.storeUnavailable) {
                _ = try await worker.submit(Self.entry("traced", Self.trace))
            }
        }
        let spans = tracer.take(100).spans
        #expect(spans.map(\.name) == Self.names)
        #expect(spans.map(\.failure) == [nil, nil, nil, "storage_unavailable"])
    }
}
