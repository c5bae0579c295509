import FencepostHTTP
import Testing

@Suite("Places of the stream") struct StreamSeatsTests {
    @Test("are limited in all and per token, and are free again") func slots() {
        let slots = StreamLimit(limit: 3, ownerLimit: 2)
        var taken = [slots.take("a"), slots.take("a")]
        #expect(taken.allSatisfy { $0 != nil } && slots.take("a") == nil)
        let other = slots.take("b")
        #expect(other != nil && slots.take("c") == nil)
        taken.removeLast()
        #expect(slots.take("a") != nil)
        withExtendedLifetime((taken, other)) {}
    }
}
