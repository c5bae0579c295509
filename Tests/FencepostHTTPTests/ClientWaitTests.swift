import FencepostHTTP
import Synchronization
import Testing

@Suite("Work for a client") struct ClientWaitTests {
    private struct Failure: Error, Equatable {}

    @Test("ends when the client has gone")
    func gone() async {
        let looks = Atomic(0)
        let isCancelled = Atomic(false)
        await #expect(throws: CancellationError.self) {
            try await ClientWait.run(
                while: { looks.wrappingAdd(1, ordering: .relaxed).newValue < 5 }, sleep: { _ in await Task.yield() }
            ) {
                await withTaskCancellationHandler {
                    let (never, end) = AsyncStream.makeStream(of: Void.self)
                    for await _ in never {}
                    end.finish()
                } onCancel: {
                    isCancelled.store(true, ordering: .relaxed)
                }
                try Task.checkCancellation()
            }
        }
        let wasCancelled = isCancelled.load(ordering: .relaxed)
        #expect(wasCancelled)
    }

    @Test("has its result and its error while the client waits")
    func there() async throws {
        #expect(try await ClientWait.run(while: { true }) { 7 } == 7)
        await #expect(throws: Failure()) {
            try await ClientWait.run(while: { true }) { throw Failure() }
        }
        #expect(try await ClientWait.run(while: { false }) { 7 } == 7)
    }
}
