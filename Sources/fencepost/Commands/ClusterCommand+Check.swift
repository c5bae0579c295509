import ArgumentParser
import FencepostAppCommands
import FencepostCluster
import FencepostFiles
import FencepostJSON
import FencepostNATS
import FencepostNode
import FencepostServer
import FencepostService
import FencepostStore
import Foundation

extension ClusterCommand {
    /// Checks the servers, the log and the nodes.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks the NATS servers, the log and the nodes, and compares the copies row by row.",
            discussion: """
                Example:
                  fencepost cluster check --config node-1.json --compare

                --compare fetches the copy of each node, applies the log to all of them up to the same record, and compares \
                their rows. It needs room for all copies in the temporary folder, and makes each node write one. The exit \
                code is 1 when something is found, 69 when NATS does not answer.
                """)

        @OptionGroup var cluster: ClusterArguments

        @Flag(name: .long, help: "Fetch all copies and compare their rows.")
        var compare = false

        @Flag(name: .long, help: "Print one JSON object.")
        var json = false

        func run() async throws {
            let view = try await cluster.view(as: "check")
            let inspection = try await ClusterArguments.run {
                var inspection = ClusterInspection(view)
                try await inspection.inspect()
                if compare { try await inspection.compareCopies() }
                return inspection
            }
            print(json ? Self.json(inspection, view.settings.name) : DoctorCommand.describe(inspection.checks))
            guard inspection.isPassed else { throw ExitStatus.problems.exit }
        }

        private static func json(_ inspection: ClusterInspection, _ name: String) -> String {
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("name", name)
            writer.name("passed")
            writer.value(inspection.isPassed)
            DoctorCommand.write(inspection.checks, to: &writer)
            writer.endObject()
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
}
