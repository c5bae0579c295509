import FencepostHTTP
import Testing

@Suite("Limits of connections") struct ConnectionLimitsTests {
    @Test("are fewer where the process may open fewer descriptors") func descriptors() {
        #expect(ConnectionLimits().bounded(byDescriptors: 1_000_000).connections == 10_000)
        #expect(ConnectionLimits().bounded(byDescriptors: 1024).connections == 768)
        #expect(ConnectionLimits().bounded(byDescriptors: 100).connections == 25)
        #expect(ConnectionLimits().bounded(byDescriptors: 1024).connectionsPerAddress == 768)
    }
}
