import FencepostJSON
import FencepostModel
import FencepostNode
import FencepostOperation
import FencepostService
import FencepostTransport
import Foundation
import Logging
import Synchronization
import Testing

/// A folder with the files of a service, which is removed with it.
final class ServiceRoom: Sendable {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-node-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    /// A region file with a square of about a kilometre, north and east of 48° and a meridian.
    static func square(_ id: String, at longitude: Double) -> String {
        let corners = [(0.0, 0.0), (0.01, 0), (0.01, 0.01), (0, 0.01), (0, 0)]
            .map { "[\(longitude + $0.0),\(48 + $0.1)]" }
        return """
            {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"id": "\(id)"},
             "geometry": {"type": "Polygon", "coordinates": [[\(corners.joined(separator: ","))]]}}]}
            """
    }

    /// The configuration of the folder.
    func reader(_ text: String, port: Int = 0) throws -> ConfigurationReader {
        var reader = ConfigurationReader()
        reader.read(Array(text.utf8), file: "test.json")
        reader.set("/server/port", "\(port)", origin: "test")
        reader.set("/regions", "[\"\(folder.path)/*.geojson\"]", origin: "test")
        reader.set("/storage/path", folder.appending(path: "fencepost.sqlite").path, origin: "test")
        try #require(!reader.diagnostics.contains { $0.severity == .error }, "\(reader.diagnostics)")
        return reader
    }

    func configuration(_ text: String = "{}") throws -> Configuration { try reader(text).configuration }

    /// Starts a service over the folder.
    func start(port: Int = 0) throws -> StartedService {
        let reader = try reader("{}", port: port)
        return StartedService(reader.configuration) { [self] in
            let again = try self.reader("{}", port: port)
            return (again, again.diagnostics)
        }
    }
}

/// A service that runs as a task of the test.
struct StartedService {
    let events = ProcessEvents()
    private let started: AsyncStream<(port: Int?, token: String?)>
    private let task: Task<Void, any Error>

    init(
        _ configuration: Configuration,
        reread: @escaping @Sendable () throws -> (ConfigurationReader, [Diagnostic])
    ) {
        let (stream, continuation) = AsyncStream.makeStream(of: (port: Int?, token: String?).self)
        started = stream
        var surroundings = ServiceProcess.Surroundings(level: SharedLogLevel(.critical), metrics: PrometheusMetrics())
        surroundings.reread = reread
        surroundings.didListen = { continuation.yield((port: $0, token: nil)) }
        surroundings.didIssueToken = { continuation.yield((port: nil, token: $0)) }
        let process = ServiceProcess(configuration, ServiceAssembly.Sources(configuration), surroundings)
        task = Task { [events] in
            defer { continuation.finish() }
            try await process.run(events)
        }
    }

    /// Waits until the service listens and has its first token.
    func listening() async throws -> ListeningService {
        var (port, token): (Int?, String?) = (nil, nil)
        for await news in started {
            (port, token) = (news.port ?? port, news.token ?? token)
            if let port, let token { return ListeningService(port: port, token: token) }
        }
        try await task.value
        throw CancellationError()
    }

    /// Waits for the end.
    func ended() async throws { try await task.value }
}

/// The API of a service that listens.
struct ListeningService {
    let port: Int
    let token: String

    func post(_ path: String, _ body: String) async throws -> HTTPClientResponse {
        try await send(HTTPClientRequest("POST", "http://127.0.0.1:\(port)\(path)", body: Array(body.utf8)))
    }

    /// The types and regions of all events.
    func events() async throws -> [String] {
        try await list("/v1/events") { element in
            "\(element["type"]?.string ?? "") \(element["region"]?["id"]?.string ?? "")"
        }
    }

    func regions() async throws -> [String] { try await list("/v1/regions") { $0["id"]?.string ?? "" } }

    private func list(_ path: String, _ row: (JSONElement) -> String) async throws -> [String] {
        let answer = try await send(HTTPClientRequest("GET", "http://127.0.0.1:\(port)\(path)"))
        let root = try JSONDocument(parsing: answer.body).root
        let rows = root["data"]?.array ?? root["features"]?.array
        return try #require(rows, "\(String(decoding: answer.body, as: UTF8.self))").map(row)
    }

    private func send(_ request: HTTPClientRequest) async throws -> HTTPClientResponse {
        var request = request
        request.setHeader("Authorization", "Bearer \(token)")
        request.setHeader("Content-Type", "application/json")
        return try await HTTPClient.shared.response(to: request)
    }
}
