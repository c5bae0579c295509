public import FencepostService
public import Logging

/// All that the HTTP API needs of the rest of the service.
public struct ServerDependencies: Sendable {
    public var monitoring: any Monitoring
    public var store: any HistoryStore & EndpointStore & AccessStore
    public var endpoints: any EndpointServices
    /// Raised when events were stored; wakes `/v1/stream`.
    public var signal: EventSignal
    public var clock: ServiceClock
    public var settings: ServerSettings
    public var limits = ConnectionLimits()
    public var version: String
    public var logger: Logger
    /// What `/metrics` answers, in Prometheus' text format.
    public var metricsText: @Sendable () -> String = { "" }
    /// What `/readyz` looks at beside the store and the monitor.
    public var checks: @Sendable () async -> [HealthCheck] = { [] }
    /// Waits between two heartbeats.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Where tokens and tickets come from; nothing but tests has a reason to change it.
    public var makeGenerator: @Sendable () -> any RandomNumberGenerator & Sendable = { SystemRandomNumberGenerator() }
    /// Called with the port once requests are taken, and with OsmAnd's own, where there is one.
    public var onListening: @Sendable (_ port: Int, _ osmandPort: Int?) async -> Void = { _, _ in }

    public init(
        monitoring: any Monitoring, store: any HistoryStore & EndpointStore & AccessStore,
        endpoints: any EndpointServices, signal: EventSignal, clock: ServiceClock, settings: ServerSettings,
        version: String, logger: Logger
    ) {
        self.monitoring = monitoring
        self.store = store
        self.endpoints = endpoints
        self.signal = signal
        self.clock = clock
        self.settings = settings
        self.version = version
        self.logger = logger
    }
}
