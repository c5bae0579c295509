import Dispatch

/// Does what takes long without waiting, such as reading a large file, one after the other and beside the tasks.
///
/// There are as many threads for tasks as cores: two large files on two cores would leave none to answer `/healthz`
/// (rule A10).
struct HeavyWork: Sendable {
    /// Bodies above are worked on here.
    static let threshold = 1 << 18
    private let queue = DispatchQueue(label: "fencepost.server.heavy-work")

    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }

    /// Runs it here and now when the input is small.
    func run<Value: Sendable>(bytes: Int, _ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        bytes > HeavyWork.threshold ? try await run(work) : try work()
    }
}
