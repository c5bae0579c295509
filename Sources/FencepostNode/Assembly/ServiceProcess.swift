import FencepostHTTP
package import FencepostModel
package import FencepostOperation
package import FencepostPage
import FencepostServer
package import FencepostService
import FencepostStore
import FencepostTracing
import Foundation

/// The service of one process: alone, or as a node of a cluster.
package struct ServiceProcess: Sendable {
    /// What the service has from the program or the test that it runs in.
    package struct Surroundings: Sendable {
        /// Reads the configuration again, when it is reloaded. By default it stays as it is.
        package var reread: (@Sendable () throws -> (ConfigurationReader, [Diagnostic]))?
        /// The level below which nothing is logged, which a reload may change.
        package var level: SharedLogLevel
        /// The metrics that `/metrics` answers with.
        package var metrics: PrometheusMetrics
        /// Whether the system's clock is right even if it is before the trusted time.
        package var trustsClock = false
        /// Files of the map page instead of those of the program.
        package var page: PageFolder?
        /// Called with the port, each time a service listens.
        package var didListen: @Sendable (Int) -> Void = { _ in }
        /// Called with the first token of a new database. Nobody can read it later.
        package var didIssueToken: @Sendable (String) throws -> Void = { _ in }

        /// Surroundings with the defaults.
        package init(level: SharedLogLevel, metrics: PrometheusMetrics) {
            (self.level, self.metrics) = (level, metrics)
        }
    }

    private let configuration: Configuration
    private let sources: ServiceAssembly.Sources
    private let surroundings: Surroundings

    /// A service that does not run yet.
    ///
    /// - Parameters:
    ///   - configuration: a configuration without errors that `problem(with:)` has none with either.
    ///   - sources: the contents of its files, without errors.
    ///   - surroundings: what surrounds the service.
    package init(
        _ configuration: Configuration, _ sources: ServiceAssembly.Sources, _ surroundings: Surroundings
    ) {
        (self.configuration, self.sources, self.surroundings) = (configuration, sources, surroundings)
    }

    /// What no service can run with; `nil` for nothing.
    package static func problem(with configuration: Configuration) -> ServiceFailure? {
        if let problem = configuration.cluster?.problem { return ServiceFailure(.configuration, problem) }
        if let cluster = configuration.cluster, cluster.partitions > 1, configuration.publication != nil {
            return ServiceFailure(
                .configuration,
                "mqtt.publish cannot be used with cluster.partitions above 1: several leaders would replace each other's "
                    + "state at the broker. Remove one of them.")
        }
        if configuration.cluster == nil, let copy = PartitionFile.copy(nextTo: configuration.storage.path) {
            return ServiceFailure(
                .cannotCreate,
                "\(copy) is a copy of a cluster with several partitions. Start it with its cluster section, or choose "
                    + "another storage.path.")
        }
        return nil
    }

    /// Runs the service until it is asked to stop.
    ///
    /// - Parameter events: the signals of the process, which are not handled here.
    /// - Throws: a `ServiceFailure`.
    package func run(_ events: ProcessEvents) async throws {
        guard let tracing = try Tracing(configuration.tracing) else { return try await run(events, tracer: nil) }
        // It ends after all that has spans.
        async let exporting: Void = tracing.exporter.run()
        let result: Result<Void, any Error>
        do {
            result = .success(try await run(events, tracer: tracing.tracer))
        } catch {
            result = .failure(error)
        }
        tracing.exporter.stop()
        await exporting
        try result.get()
    }

    private func run(_ events: ProcessEvents, tracer: Tracer?) async throws {
        guard let cluster = configuration.cluster else {
            return try await service(tracer: tracer).run(events.stream())
        }
        let node: ClusterNode
        do throws(PeerTLS.Failure) {
            node = try ClusterNode(
                configuration, cluster, events: events,
                metricsText: { [metrics = surroundings.metrics] in metrics.text() }, tracer: tracer,
                lead: { log, leadership in
                    try await service(log, leadership, tracer: tracer).run(events.stream(for: leadership.part))
                })
        } catch {
            throw ServiceFailure(.configuration, "\(error)")
        }
        try await node.work()
    }

    private func service(
        _ log: LeaderLog? = nil, _ leadership: Leadership? = nil, tracer: Tracer?
    ) throws -> RunningService {
        try RunningService(configuration, sources, surroundings, log: log, cluster: leadership, tracer: tracer)
    }
}
