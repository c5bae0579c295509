import Foundation
import Testing

/// A node that does not lead, and what it does for its clients.
@Suite(
    "A node that follows", .serialized,
    .enabled(if: TestCluster.size > 1 && TestCluster.leader == .companion, "needs a cluster whose other nodes lead"))
struct FollowerTests {
    @Test("sends requests on as soon as its ports are open, also after kill -9")
    func restarts() async throws {
        let folder = try ServiceFolder()
        var program = try await RunningProgram(in: folder.url)
        let token = try #require(program.firstToken)
        #expect(try await Client(port: program.port, token: token).request("GET", "/v1/devices").status == 200)
        await program.killHard()
        program = try await RunningProgram(in: folder.url)
        let answer = try await Client(port: program.port, token: token).request("GET", "/v1/devices")
        #expect(answer.status == 200, "\(answer.text)")
        // Its name is that of a node that has not left: until ten readings of NATS, half a second apart, have found its entry
        // unchanged, it might be another process, and has no copy.
        let answered = ContinuousClock.now
        let reader = Client(port: program.port, token: "")
        while try await !reader.isOne("fencepost_cluster_copy"), ContinuousClock.now - answered < .seconds(60) {
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(ContinuousClock.now - answered > .seconds(2))
        #expect(await program.stop() == 0)
    }
}
