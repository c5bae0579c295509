import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostServer
import FencepostService
import FencepostServiceTesting
import FencepostStore
import FencepostTesting
import FencepostTracing
import FencepostTransport
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Synchronization
import Testing

/// A server on its own port, with a real store and a real monitor, in virtual time.
struct TestServer: Sendable {
    let port: Int
    let osmandPort: Int?
    let store: SQLiteStore
    let worker: MonitorWorker
    let sender: FakeSender
    let time: ManualTime
    let clock: ServiceClock
    let log: LogLines
    /// A token with all scopes.
    let token: String
    let server: FencepostServer

    static let now = Timestamp(milliseconds: 1_772_355_600_000)  // 2026-03-01T09:00:00Z

    /// Whether each server is the leader of two nodes, and requests go to the other one: `FENCEPOST_CLUSTERED=1` shows that
    /// every route works on every node. What concerns the node itself, such as its connections, is not tested then.
    static let isClustered = ProcessInfo.processInfo.environment["FENCEPOST_CLUSTERED"] == "1"

    /// Runs a server while the closure runs.
    static func run(
        composer: any MessageComposer = NoMessages(), notBefore floor: Timestamp = .distantPast,
        _ configure: @escaping @Sendable (inout ServerDependencies) -> Void = { _ in },
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        guard isClustered else {
            return try await runAlone(composer: composer, notBefore: floor, configure, body)
        }
        let isRouter = Mutex(false)
        let tracer = Mutex<Tracer?>(nil)
        try await NodeRouterTests.run { leader in
            try await runAlone(composer: composer, notBefore: floor) { dependencies in
                dependencies.router = leader.router.attachment(.partition(0))
                configure(&dependencies)
                tracer.withLock { [made = dependencies.tracer] in $0 = made }
                // A test that has routers of its own, or needs other ports, is not changed.
                isRouter.withLock {
                    $0 =
                        dependencies.router?.router === leader.router
                        && dependencies.settings == ServerSettings.onAnyPort
                }
                if !isRouter.withLock({ $0 }), dependencies.router?.router === leader.router {
                    dependencies.router = nil
                }
            } _: { server in
                guard isRouter.withLock({ $0 }) else { return try await body(server) }
                try await NodeRouterTests.run(tracer: tracer.withLock { $0 }) { follower in
                    follower.upstream.set(leader: leader.url)
                    follower.router.decode(with: server.store, clock: server.clock)
                    try await body(server.reached(at: follower.port))
                    follower.router.decode(with: nil, clock: server.clock)
                }
            }
        }
    }

    /// Runs a server on a folder that an earlier one may have left, while the closure runs.
    ///
    /// - Parameters:
    ///   - folder: of the database; it stays.
    ///   - token: that of the earlier server.
    ///   - body: what is done with the server.
    /// - Throws: what the server or the closure throws.
    static func run(
        in folder: URL, token: String? = nil, _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await run(
            in: folder, token: token, composer: NoMessages(), notBefore: .distantPast, hasFollower: false, { _ in },
            body)
    }

    private func reached(at port: Int) -> TestServer {
        TestServer(
            port: port, osmandPort: osmandPort, store: store, worker: worker, sender: sender, time: time, clock: clock,
            log: log, token: token, server: server)
    }

    /// Runs a server whose accesses to the store a gate can hold.
    static func run(
        gate: StoreGate, _ configure: @escaping @Sendable (inout ServerDependencies) -> Void,
        _ body: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await runAlone(composer: NoMessages(), notBefore: .distantPast, gate: gate, configure, body)
    }

    /// `gate` holds accesses to the store; `nil` for none.
    private static func runAlone(
        composer: any MessageComposer, notBefore floor: Timestamp, gate: StoreGate? = nil,
        _ configure: @Sendable (inout ServerDependencies) -> Void,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-server-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await run(in: folder, token: nil, composer: composer, notBefore: floor, gate: gate, configure, body)
    }

    /// Eight parameters, because they are those of the public functions together.
    private static func run(
        in folder: URL, token earlier: String?, composer: any MessageComposer, notBefore floor: Timestamp,
        gate: StoreGate? = nil, hasFollower: Bool = isClustered,
        _ configure: @Sendable (inout ServerDependencies) -> Void,
        _ body: @Sendable (TestServer) async throws -> Void
    ) async throws {
        let store: SQLiteStore
        let follower: StoreFollower?
        if let gate {
            var settings = StorageSettings()
            settings.path = folder.appending(path: "test.sqlite").path
            settings.durability = .relaxed
            let access = DatabaseAccess.inTurn { _ in await gate.pass() }
            (store, follower) = (try SQLiteStore(settings, limits: .init(), access: access), nil)
        } else if hasFollower {
            (store, follower) = try await StoreFollower.begin(in: folder)
        } else {
            (store, follower) = (try SQLiteStore(path: folder.appending(path: "test.sqlite").path), nil)
        }
        let time = ManualTime(now)
        let clock = time.clock(notBefore: floor)
        let log = LogLines()
        let logger = Logger(label: "test") { _ in log.handler() }
        let signal = EventSignal()
        let worker = MonitorWorker(
            store: store, composer: composer, settings: MonitorSettings(), clock: clock,
            notices: MonitorWorker.Notices(events: signal), logger: logger, sleep: { try await time.sleep(for: $0) })
        let sender = FakeSender()
        var dependencies = ServerDependencies(
            monitoring: worker, store: store, endpoints: sender, signal: signal, clock: clock,
            settings: .onAnyPort, version: "1.2.3", logger: logger)
        let history = HistoryService(store: store, worker: worker, logger: logger)
        dependencies.history = history
        dependencies.brokers = FakeBrokers()
        dependencies.sleep = { try await time.sleep(for: $0) }
        let (ports, source) = AsyncStream.makeStream(of: (Int, Int?).self)
        dependencies.onListening = { source.yield(($0, $1)) }
        configure(&dependencies)
        let server = FencepostServer(dependencies)
        var generator = SystemRandomNumberGenerator()
        let first = try await TokenText.issueFirst(in: store, at: now, using: &generator)
        let token = try #require(first ?? earlier)
        let group = ServiceGroup(
            services: [UngatedService(service: worker), UngatedService(service: history), server], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var iterator = ports.makeAsyncIterator()
            let (port, osmandPort) = try #require(await iterator.next())
            // The server listens before the worker has loaded its state.
            await worker.waitUntilStarted()
            let running = TestServer(
                port: port, osmandPort: osmandPort, store: store, worker: worker, sender: sender, time: time,
                clock: clock, log: log, token: token, server: server)
            let following = Self.follow(follower)
            let result: Result<Void, any Error>
            do {
                try await body(running)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            following.cancel()
            await following.value
            let difference = try await follower?.difference()
            #expect(difference == nil, "what stands by is not what is stored")
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            try result.get()
            let last = try await follower?.difference()
            #expect(last == nil, "what stands by at the end is not what is stored")
            try await follower?.close()
        }
        try store.close()
    }

    /// Lets a follower take what its leader writes, bit by bit, until the task is cancelled.
    private static func follow(_ follower: StoreFollower?) -> Task<Void, Never> {
        Task {
            while let follower, !Task.isCancelled {
                do {
                    try await follower.follow()
                    try await Task.sleep(for: .milliseconds(3))
                } catch is CancellationError {
                    break
                } catch {
                    Issue.record(error)
                    break
                }
            }
        }
    }

    // MARK: Requests

    struct Reply: Sendable {
        var status: Int
        var headers: HTTPHeaders
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        var json: JSONElement {
            get throws { try JSONDocument(parsing: body).root }
        }
        var code: String? { (try? json)?["code"]?.string }
        subscript(name: String) -> String? { headers.first(name: name) }
    }

    /// Sends a request. The token is `nil` for none; by default it is the one with all scopes.
    func send(
        _ method: HTTPMethod, _ path: String, body: [UInt8]? = nil, type: String? = nil,
        headers: [(String, String)] = [], token: String?? = .none, port: Int? = nil
    ) async throws -> Reply {
        var request = HTTPClientRequest(
            method.rawValue, "http://127.0.0.1:\(port ?? self.port)\(path)", body: body)
        if let text = token ?? self.token { request.headers.append(("Authorization", "Bearer \(text)")) }
        if let type { request.headers.append(("Content-Type", type)) }
        request.headers += headers.map { (name: $0, value: $1) }
        request.isDecompressed = headers.contains { $0.0.lowercased() == "accept-encoding" }
        let response = try await HTTPClient.shared.response(to: request)
        return Reply(
            status: response.status, headers: HTTPHeaders(response.headers.map { ($0.name, $0.value) }),
            body: response.body)
    }

    func get(_ path: String, headers: [(String, String)] = [], token: String?? = .none) async throws -> Reply {
        try await send(.GET, path, headers: headers, token: token)
    }

    func post(
        _ path: String, _ json: String, type: String = "application/json", headers: [(String, String)] = [],
        token: String?? = .none
    ) async throws -> Reply {
        try await send(.POST, path, body: Array(json.utf8), type: type, headers: headers, token: token)
    }

    func put(_ path: String, _ json: String, headers: [(String, String)] = []) async throws -> Reply {
        try await send(.PUT, path, body: Array(json.utf8), type: "application/json", headers: headers)
    }

    /// Issues a token over the API.
    func issue(_ scopes: [String], device: String? = nil, name: String = "test") async throws -> String {
        let list = scopes.map { "\"\($0)\"" }.joined(separator: ",")
        let bound = device.map { ",\"deviceId\":\"\($0)\"" } ?? ""
        let reply = try await post("/v1/tokens", "{\"name\":\"\(name)\",\"scopes\":[\(list)]\(bound)}")
        #expect(reply.status == 201)
        return try #require(try reply.json["token"]?.string)
    }

    // MARK: Regions and devices

    static let office =
        #"{"type":"Feature","id":"office","geometry":{"type":"Polygon","coordinates":[[[10,50],[10.01,50],"#
        + #"[10.01,50.01],[10,50.01],[10,50]]]},"properties":{"name":"Office","colour":"red"}}"#

    static func location(
        _ device: String, _ minute: Int, _ latitude: Double, _ longitude: Double, extra: String = ""
    ) -> String {
        let time = Timestamp(seconds: 1_772_352_000 + Int64(minute) * 60).rfc3339
        return
            "{\"deviceId\":\"\(device)\",\"timestamp\":\"\(time)\",\"latitude\":\(latitude),\"longitude\":\(longitude),"
            + "\"horizontalAccuracy\":5\(extra)}"
    }

    /// Adds the region and moves a device into it.
    func walkIn(_ device: String) async throws {
        _ = try await put("/v1/regions/office", Self.office)
        let inside = [50.0115, 50.0104, 50.0093, 50.0082, 50.0071, 50.006, 50.005]
        let fixes = inside.enumerated().map { Self.location(device, $0, $1, 10.005) }.joined(separator: ",")
        let reply = try await post("/v1/locations", "{\"locations\":[\(fixes)]}")
        #expect(reply.status == 200)
    }
}

extension ServerSettings {
    static var onAnyPort: ServerSettings {
        var settings = ServerSettings()
        settings.port = 0
        return settings
    }
}

/// A test double of the webhook service.
final class FakeSender: EndpointServices {
    let changes = Mutex(0)
    let secrets = Mutex(0)
    let networks = Mutex<[String]>([])

    func problem(withURL url: String, of kind: Endpoint.Kind) -> String? {
        url.hasPrefix("https://") || url.hasPrefix("http://home") ? nil : "The URL has to begin with https."
    }
    func refusal(ofURL url: String, of kind: Endpoint.Kind) async -> NetworkRefusal? {
        guard url.hasPrefix("http://home"), networks.withLock({ $0.isEmpty }) else { return nil }
        return NetworkRefusal(
            detail: "It is private.", administratorDetail: "It is 192.168.1.20.", network: "192.168.1.0/24")
    }
    func network(_ text: String) throws(InvalidNetwork) -> String {
        guard text.hasPrefix("192.168.") else { throw InvalidNetwork(detail: "It is not private.") }
        return text
    }
    func allow(_ networks: [AllowedNetwork]) throws { self.networks.withLock { $0 = networks.map(\.network) } }
    func preview(_ endpoint: Endpoint) -> [MessagePreview] {
        endpoint.kind.isForPeople ? [MessagePreview(type: "region.entered", title: "in", body: "")] : []
    }
    func problem(withSecret secret: String) -> String? { secret.count < 30 ? "The secret is too short." : nil }
    func makeSecret() -> String {
        let number = secrets.withLock { secrets in
            secrets += 1
            return secrets
        }
        return "whsec_" + Data("secret number \(number) of 24 bytes".utf8).base64EncodedString()
    }
    func endpointsDidChange() async throws { changes.withLock { $0 += 1 } }
    func deliveriesDidChange(of endpoint: String) {}
    func test(_ endpoint: Endpoint) async -> DeliveryAttempt {
        DeliveryAttempt(number: 1, startedAt: TestServer.now, duration: .milliseconds(20), status: 200)
    }
    func report(
        _ schedule: ReportSchedule, _ run: ReportTiming.Run, at now: Timestamp, isAskedFor: Bool
    ) -> (event: NewEvent, deliveries: [NewDelivery]) {
        let id = "evt_\(schedule.id)_\(now.milliseconds)"
        let event = NewEvent(
            id: id, type: "report.ready", deviceID: nil, timestamp: now,
            body: "{\"id\":\"\(id)\",\"type\":\"report.ready\"}")
        return (
            event,
            schedule.endpoints.map {
                NewDelivery(endpointID: $0, eventID: id, deviceID: nil, body: "{}", headers: [:], isOrdered: false)
            }
        )
    }
    func messages(for events: [StoredEvent], to endpoint: Endpoint) -> [NewDelivery] {
        events.map {
            NewDelivery(
                endpointID: endpoint.id, eventID: $0.event.id, deviceID: $0.event.deviceID, body: "{}", headers: [:],
                isOrdered: false)
        }
    }
}

/// A log handler that collects lines.
final class LogLines: Sendable {
    let lines = Mutex<[String]>([])

    func handler() -> any LogHandler { Handler(lines: self) }

    private struct Handler: LogHandler {
        let lines: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let text = "\(event.level) \(event.message) \(event.metadata ?? [:]) \(metadata)"
            lines.lines.withLock { $0.append(text) }
        }
    }
}
