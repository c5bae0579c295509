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
        // Its name is that of a node that has not left: for five seconds it might be another process.
        let begin = ContinuousClock.now
        let answer = try await Client(port: program.port, token: token).request("GET", "/v1/devices")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(ContinuousClock.now - begin < .seconds(3))
        #expect(await program.stop() == 0)
    }
}
