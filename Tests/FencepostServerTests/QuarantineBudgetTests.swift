import FencepostModel
import FencepostService
import Testing

@testable import FencepostServer

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
