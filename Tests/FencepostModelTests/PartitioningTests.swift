import FencepostModel
import Testing

@Suite("Partitioning") struct PartitioningTests {
    /// Vectors of FNV-1a with 64 bits, from the test suite of its authors (draft-eastlake-fnv): they are stored in names of
    /// files and of NATS subjects, so they may never change.
    @Test(
        "The partition is the published hash, modulo the number of partitions",
        arguments: [
            ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8),
        ] as [(String, UInt64)])
    func vectors(text: String, hash: UInt64) {
        for count in [1, 2, 3, 64, 255, 256] {
            #expect(Partitioning(count: count).partition(of: DeviceID(text)) == Int(hash % UInt64(count)))
        }
    }

    @Test("A cluster of one partition has one part; others have the configuration apart")
    func parts() {
        #expect(Partitioning.single.parts == [.partition(0)])
        #expect(Partitioning.single.configuration == .partition(0))
        #expect(Partitioning(count: 2).parts == [.configuration, .partition(0), .partition(1)])
        #expect(Partitioning(count: 2).configuration == .configuration)
    }

    @Test("A part is read from its description and from nothing else")
    func descriptions() {
        for part in Partitioning(count: 256).parts { #expect(ClusterPartition("\(part)") == part) }
        for text in ["", "256", "-1", "01", "+1", "configuration", " 1"] { #expect(ClusterPartition(text) == nil) }
    }
}
