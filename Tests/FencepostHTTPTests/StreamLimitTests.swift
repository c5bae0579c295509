import FencepostHTTP
import Testing

@Suite("The limit of streams") struct StreamLimitTests {
    @Test("holds in all and for each token, and what ends is free again") func limit() {
        let streams = StreamLimit(limit: 3, ownerLimit: 2)
        var taken = [streams.take("a"), streams.take("a")]
        #expect(taken.allSatisfy { $0 != nil } && streams.take("a") == nil)
        let other = streams.take("b")
        #expect(other != nil && streams.take("c") == nil)
        taken.removeLast()
        #expect(streams.take("a") != nil)
        withExtendedLifetime((taken, other)) {}
    }
}
