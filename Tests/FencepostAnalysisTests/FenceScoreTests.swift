import Foundation
import Testing

@testable import FencepostAnalysis

@Suite("Fences") struct FenceScoreTests {
    @Test("do not alarm about parked devices in a thousand nights, and do within two fixes about those that leave")
    func nights() {
        let score = FenceScore(nights: Int(ProcessInfo.processInfo.environment["NIGHTS"] ?? "") ?? 1001, seed: 11)
        for (name, cell) in score.cells.sorted(by: { $0.key < $1.key }) + [("all", score.all)] {
            print(name, cell.nights, "false", cell.falseAlarms, "two", cell.withinTwo, "three", cell.withinThree, "later", cell.later, "of", cell.departures, "rep", cell.repeated)
        }
        #expect(score.all.falseAlarms == 0)
    }
}
