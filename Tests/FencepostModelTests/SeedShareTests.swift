import FencepostTesting
import Testing

@Suite("Shares of seeds") struct SeedShareTests {
    @Test("have each seed once, and no share is empty", arguments: 1...9, 1...6)
    func cover(cases: Int, count: Int) {
        let shares = (1...count).map { SeedShare.of(1...cases, part: $0, count: count) }
        #expect(shares.allSatisfy { !$0.isEmpty })
        #expect(Set(shares.joined()) == Set(1...cases))
        #expect(cases < count || shares.joined().count == cases)
    }
}
