import FencepostModel
import FencepostOperation
import FencepostService
import FencepostTracing
import FencepostTransport
import Foundation
import Logging

/// What records and sends the traces of a process.
struct Tracing: Sendable {
    let tracer: Tracer
    let exporter: TraceExporter

    /// `nil` without settings.
    ///
    /// - Parameter settings: those of the configuration.
    /// - Throws: a `ServiceFailure` when the file of authorities cannot be used.
    init?(_ settings: TracingSettings?) throws(ServiceFailure) {
        guard let settings else { return nil }
        let client: HTTPClient
        do throws(HTTPClient.InvalidAuthorities) {
            client = try HTTPClient(authorities: settings.caFile)
        } catch {
            throw ServiceFailure(.configuration, "tracing.caFile: \(error)")
        }
        tracer = Tracer(ratio: settings.sampleRatio, includesDevices: settings.deviceIDs)
        var export = TraceExporter.Settings(endpoint: settings.endpoint)
        export.headers = settings.headers.map { ($0.name, $0.value) }
        export.resource = Self.resource(settings)
        exporter = TraceExporter(export, tracer, client: client, logger: Logger(label: "fencepost.tracing"))
    }

    /// What describes the process. Attributes of the settings come before those that Fencepost knows.
    private static func resource(_ settings: TracingSettings) -> [Span.Attribute] {
        var values: [(name: String, value: String)] = [
            ("service.name", "fencepost"), ("service.version", FencepostVersion.current),
            ("service.instance.id", UUID().uuidString.lowercased()), ("telemetry.sdk.name", "fencepost"),
            ("telemetry.sdk.language", "swift"), ("telemetry.sdk.version", FencepostVersion.current),
        ]
        var chosen = settings.resourceAttributes.map { (name: $0.name, value: $0.value) }
        if let name = settings.serviceName { chosen.append(("service.name", name)) }
        for (name, value) in chosen {
            values.removeAll { $0.name == name }
            values.append((name, value))
        }
        return values.map { Span.Attribute($0.name, $0.value) }
    }
}
