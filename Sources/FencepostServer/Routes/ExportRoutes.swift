import FencepostHTTP
import FencepostHistory
import FencepostModel
import FencepostService
import HTTPTypes
import Hummingbird

/// The route of files for analysts: locations, visits, trips or events, as columns or as trajectories (rule A37).
extension API {
    private static let kind = Route.Parameter(
        name: "kind", words: ExportKind.self,
        text: "The rows: locations by default, visits, trips, or events. Events of the service itself are left out.")
    private static let format = Route.Parameter(
        name: "format", words: ExportFormat.self,
        text: "geoparquet by default: a Parquet file with geometries. mf-json: trajectories of locations or trips.")

    var exportRoutes: [Route] {
        [
            Route(
                method: .get, path: "/v1/exports", name: "getExport",
                summary: "Exports locations, visits, trips or events as GeoParquet or Moving Features JSON",
                tag: "History", access: .scope(.read),
                parameters: [Self.kind, Self.format] + Route.Parameter.choice + [.from, .to],
                successes: [
                    Route.Success(
                        status: .ok, type: ExportFormat.geoparquet.type, schema: Schema.bytes,
                        text: "A GeoParquet file, by device and time. By default of all that is stored."),
                    Route.Success(
                        status: .ok, type: ExportFormat.mfJSON.type, schema: Schema.object,
                        text: "A FeatureCollection of OGC Moving Features JSON: a trajectory is a feature."),
                ],
                failures: [.notFound],
                partition: .suggestions,
                handle: { call in try await export(call) })
        ]
    }

    private func export(_ call: Call) async throws -> RouteResponse {
        let kind = try call.word("kind", ExportKind.self) ?? .locations
        let format = try call.word("format", ExportFormat.self) ?? .geoparquet
        guard format.holds(kind) else {
            throw Problem.parameter(
                "format", "it needs kind=locations or kind=trips, since \(kind.rawValue) do not move.")
        }
        let (from, to) = (try call.time("from"), try call.time("to"))
        if let from, let to, from >= to { throw Problem.parameter("from", "it has to be before to.") }
        let choice = try await choice(of: call)
        if let device = choice.device, monitoring.device(device) == nil || !call.caller.maySee(device) {
            throw Problem.notFound("device")
        }
        let devices = devices(of: choice, for: call.caller)
        let reader = ExportReader(store, kind, format, from: from, to: to)
        let caller = call.caller
        return RouteResponse(
            .ok,
            headers: [
                .contentType: format.type,
                .contentDisposition: "attachment; filename=\"\(kind.rawValue).\(format.suffix)\"",
            ],
            body: .stream { writer in
                var file = try ExportFile(kind, format)
                try await writer.write(ByteBuffer(bytes: file.begin()))
                try await reader.forEachBatch(of: devices) { _, batch in
                    guard await isStillValid(caller) else { throw EndedExport() }
                    let bytes = try file.append(batch)
                    if !bytes.isEmpty { try await writer.write(ByteBuffer(bytes: bytes)) }
                }
                try await writer.write(ByteBuffer(bytes: file.finish()))
                try await writer.finish(nil)
            })
    }
}

/// The caller may no longer read: the response breaks off, so that it is no complete file.
private struct EndedExport: Error {}
