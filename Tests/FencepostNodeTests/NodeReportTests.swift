import FencepostCluster
import FencepostModel
import Testing

@testable import FencepostNode

@Suite("Reports of nodes") struct NodeReportTests {
    static func report(_ roles: [NodeRole]) -> NodeReport {
        NodeReport(
            node: "a", run: 1, version: "1.0.0",
            parts: roles.enumerated().map {
                NodeReport.Part(part: $0.offset == 0 ? .configuration : .partition($0.offset), role: $0.element)
            },
            address: "http://127.0.0.1:1", time: Timestamp(seconds: 0))
    }

    @Test("a node has ended only where it says so: one without a copy may be about to have one")
    func roles() throws {
        for role in NodeRole.allCases {
            let report = Self.report([role])
            let decoded = try #require(NodeReport.decode(report.encoded))
            #expect(report.role == role && decoded.role == role, "\(role)")
        }
        #expect(Self.report([.noCopy, .gone]).role == .noCopy)
        #expect(Self.report([.noCopy, .follower, .starting]).role == .starting)
    }
}
