import FencepostModel
import FencepostService
import Synchronization
import Testing

@testable import FencepostServer

@Suite("Work for a client") struct ClientWaitTests {
    @Test("ends when the client has gone")
    func gone() async {
        let looks = Atomic(0)
        let isCancelled = Atomic(false)
        await #expect(throws: CancellationError.self) {
            try await ClientWait.run(
                while: { looks.wrappingAdd(1, ordering: .relaxed).newValue < 5 }, sleep: { _ in await Task.yield() }
            ) {
                await withTaskCancellationHandler {
                    let never = EventSignal()
                    await never.wait(since: 0)
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
        await #expect(throws: MonitorFailure.stopping) {
            try await ClientWait.run(while: { true }) { throw MonitorFailure.stopping }
        }
        #expect(try await ClientWait.run(while: { false }) { 7 } == 7)
    }
}

@Suite("A budget of quarantined records") struct QuarantineBudgetTests {
    private static func entries(_ count: Int, _ detail: String = "wrong") -> [QuarantineEntry] {
        (0..<count).map {
            QuarantineEntry(
                receivedAt: Timestamp(seconds: 0), format: "native", deviceID: nil, index: $0, code: "invalid_json",
                detail: detail)
        }
    }

    @Test("is one of rows and bytes for each sender and day")
    func bounded() {
        let budget = QuarantineBudget()
        let now = Timestamp(seconds: 1_772_000_000)
        #expect(budget.admitted(Self.entries(8000), of: "a", at: now).count == 8000)
        #expect(budget.admitted(Self.entries(8000), of: "a", at: now).count == 2000)
        #expect(budget.admitted(Self.entries(5), of: "b", at: now).count == 5)
        #expect(budget.admitted(Self.entries(5), of: "a", at: now + .seconds(86_400)).count == 5)
        let long = String(repeating: "x", count: 1 << 20)
        #expect(budget.admitted(Self.entries(9, long), of: "c", at: now).count == 3)
        #expect(budget.admitted(Self.entries(1), of: "d", at: Timestamp(milliseconds: .min)).count == 1)
    }
}
