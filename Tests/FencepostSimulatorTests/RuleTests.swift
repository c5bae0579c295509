import FencepostSimulator
import Testing

@Suite("Rules") struct RuleTests {
    @Test("have one row for each id, in order") func complete() {
        #expect(Rule.all.map(\.id) == RuleID.allCases)
    }

    @Test("say one sentence each, and no two the same") func sentences() {
        for rule in Rule.all {
            #expect(rule.text.hasSuffix("."), "\(rule.id)")
            #expect(rule.text.first?.isUppercase == true, "\(rule.id)")
            #expect(!rule.confidences.isEmpty, "\(rule.id)")
        }
        #expect(Set(Rule.all.map(\.text)).count == Rule.all.count)
    }
}
