import FencepostModel
import FencepostSimulation
import Foundation
import Testing

/// Images of a recorded session are opened by the whole service and compared with the oracle.
@Suite("Power loss") struct PowerLossTests {
    /// In a usual run; FENCEPOST_POWER_LOSS_IMAGES=500 takes minutes in a debug build.
    private static let images =
        ProcessInfo.processInfo.environment["FENCEPOST_POWER_LOSS_IMAGES"].flatMap { Int($0) } ?? 60

    @Test(
        "keeps every acknowledged commit with durability full, and a beginning of the log with relaxed",
        arguments: [false, true])
    func images(isRelaxed: Bool) async throws {
        let session = try RecordedSession(seed: isRelaxed ? 7 : 5, isRelaxed: isRelaxed)
        #expect(session.commits > 40)
        let result = session.check(images: Self.images, seed: 1)
        #expect(result.problems == [])
        // A session whose images are all the same would show nothing.
        #expect(result.positions.count > 10)
        #expect(isRelaxed || result.behind == 0)
        #expect(!isRelaxed || result.behind > 0)
    }

    @Test("finds a commit that is acknowledged before it is durable")
    func findsLoss() async throws {
        // The same session on a disk whose syncs do nothing.
        let session = try RecordedSession(seed: 5, isRelaxed: false, liesAboutSyncs: true)
        let result = session.check(images: 60, seed: 1)
        #expect(result.behind > 0)
    }
}
