import FencepostServer
import Logging
import ServiceLifecycle

/// Starts the ports of a node, and stops them at the end of the process.
actor RouterRunner {
    /// The port cannot be bound.
    struct NotBound: Error {
        let reason: String
    }

    /// For how long requests that are under way keep the process from ending.
    private static let stopTime = Duration.seconds(5)

    private let router: NodeRouter
    private let bound: (ports: AsyncStream<Int>, continuation: AsyncStream<Int>.Continuation)
    private var running: (group: ServiceGroup, task: Task<Void, any Error>)?

    /// - Parameters:
    ///   - router: the ports.
    ///   - bound: gets the port when all of them listen.
    init(_ router: NodeRouter, bound: (ports: AsyncStream<Int>, continuation: AsyncStream<Int>.Continuation)) {
        self.router = router
        self.bound = bound
    }

    /// Returns when the ports listen.
    ///
    /// - Returns: the port of the API.
    /// - Throws: `NotBound`.
    func start() async throws -> Int {
        // It logs its end as an error.
        var quiet = Logger(label: "fencepost.http")
        quiet.logLevel = .critical
        var configuration = ServiceGroupConfiguration(services: [router], logger: quiet)
        configuration.maximumGracefulShutdownDuration = Self.stopTime
        let group = ServiceGroup(configuration: configuration)
        let task = Task { [bound] in
            defer { bound.continuation.finish() }
            try await group.run()
        }
        for await port in bound.ports {
            running = (group, task)
            return port
        }
        do {
            try await task.value
            throw NotBound(reason: "the server has ended")
        } catch {
            throw NotBound(reason: "\(error)")
        }
    }

    /// Returns when the requests that are under way have ended, or after a time.
    func stop() async {
        guard let (group, task) = running else { return }
        running = nil
        await group.triggerGracefulShutdown()
        _ = await task.result
    }
}
