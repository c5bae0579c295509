import Dispatch

/// A serial queue for long computations, such as parsing a large file, on a thread of its own.
///
/// Swift's concurrent tasks share one thread per core: two large files on two cores would leave no thread for
/// `/healthz` (rule A10).
struct OffloadQueue: Sendable {
    /// Bodies with more bytes than this are processed on the queue.
    static let threshold = 1 << 18
    private let queue = DispatchQueue(label: "fencepost.server.offload")

    /// Runs the work on the queue.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }

    /// Runs the work on the queue when the input has more bytes than the threshold, else at once.
    func run<Value: Sendable>(bytes: Int, _ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        bytes > OffloadQueue.threshold ? try await run(work) : try work()
    }
}
