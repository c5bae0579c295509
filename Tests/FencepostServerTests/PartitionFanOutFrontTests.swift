import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import FencepostService
import FencepostServiceTesting
import FencepostStore
import FencepostTesting
import FencepostTransport
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import FencepostServer

/// Requests over all partitions through the nodes of a cluster, which lead some of the partitions themselves.
@Suite("Nodes answer for all partitions", .timeLimit(.minutes(3))) struct PartitionFanOutFrontTests {
    static let devices = ["anna/phone", "ben", "cleo/é", "dora", "emil", "fritz", "gina", "hans/tablet"]

    private static func walk(_ cluster: PartitionCluster, _ devices: [String], through node: Int) async throws {
        let inside = [50.0115, 50.0104, 50.0093, 50.0082, 50.0071, 50.006, 50.005]
        for device in devices {
            let fixes = inside.enumerated().map { TestServer.location(device, $0, $1, 10.005) }.joined(separator: ",")
            let reply = try await cluster.nodes[node].send(
                "POST", "/v1/locations", "{\"locations\":[\(fixes)]}", token: cluster.token)
            #expect(reply.status == 200, "\(String(decoding: reply.body, as: UTF8.self))")
        }
    }

    /// Adds a region to all parts, as the mirror would.
    private static func addRegion(_ cluster: PartitionCluster) async throws {
        let regions = RegionFile.read(Array(TestServer.office.utf8), options: RegionOptions(limits: .service)).regions
        #expect(regions.count == 1)
        for server in cluster.servers.values {
            _ = try await server.worker.editRegions { _ in RegionEdit(changed: regions) }
        }
    }

    @Test("by the tools of a language model too") func tools() async throws {
        try await PartitionCluster.run { cluster in
            try await Self.walk(cluster, Self.devices, through: 0)
            let message = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_devices"}}"#
            for node in cluster.nodes {
                let list = try await node.send("GET", "/v1/devices", token: cluster.token)
                let reply = try await node.send("POST", "/mcp", message, token: cluster.token)
                let found = try JSONDocument(parsing: reply.body).root["result"]?["structuredContent"]
                #expect(try found == JSONDocument(parsing: list.body).root)
                #expect(found?["data"]?.count == Self.devices.count)
            }
        }
    }

    @Test("with the same lists and figures on each node") func lists() async throws {
        try await PartitionCluster.run { cluster in
            try await Self.addRegion(cluster)
            try await Self.walk(cluster, Self.devices, through: 0)
            for path in [
                "/v1/events?limit=500", "/v1/visits", "/v1/devices", "/v1/trips?to=2026-03-02T00:00:00Z",
                "/v1/summaries?to=2026-03-02T00:00:00Z&by=region", "/v1/deliveries", "/v1/imports", "/v1/quarantine",
                "/v1/profiles", "/v1/endpoints", "/v1/regions/office/devices",
            ] {
                var bodies: [[UInt8]] = []
                for node in cluster.nodes {
                    let reply = try await node.send("GET", path, token: cluster.token)
                    #expect(reply.status == 200, "\(path): \(String(decoding: reply.body, as: UTF8.self))")
                    #expect(reply.header("x-request-id")?.isEmpty == false)
                    #expect(reply.headers.filter { $0.name.lowercased().hasPrefix("fencepost-") }.isEmpty)
                    bodies.append(reply.body)
                    let head = try await node.send("HEAD", path, token: cluster.token)
                    #expect(head.status == 200 && head.header("content-length") == String(reply.body.count))
                    #expect(try await node.send("GET", path, token: "fp_wrong").status == 401)
                }
                #expect(bodies[0] == bodies[1], "\(path)")
            }
            let devices = try JSONDocument(
                parsing: await cluster.nodes[1].send("GET", "/v1/devices", token: cluster.token).body)
            #expect(devices.root["data"]?.array?.compactMap { $0["id"]?.string } == Self.devices)
            let refused = try await cluster.nodes[0].send("GET", "/v1/places", token: cluster.token)
            #expect(refused.status == 501)
        }
    }

    @Test("with the files of reports for the leader of the configuration, without a token") func reports() async throws
    {
        let reports = ReportDownloads()
        var options = PartitionCluster.Options()
        options.configure = { dependencies, part in
            if part == .configuration { dependencies.reports = reports }
        }
        try await PartitionCluster.run(options) { cluster in
            try await Self.addRegion(cluster)
            try await Self.walk(cluster, Self.devices, through: 0)
            for target in [
                "/v1/summaries?to=2026-03-02T00%3A00%3A00Z&format=xlsx",
                "/v1/summaries?to=2026-03-02T00%3A00%3A00Z&format=csv&by=region",
                "/v1/summaries?to=2026-03-02T00%3A00%3A00Z&format=csv&deviceId=ben",
                "/v1/trips?to=2026-03-02T00%3A00%3A00Z&format=xlsx",
            ] {
                let download = try await cluster.nodes[1].send("GET", target, token: cluster.token)
                #expect(download.status == 200)
                guard case .file(let file) = await reports.file(at: target) else {
                    Issue.record("no file: \(await reports.file(at: target))")
                    continue
                }
                #expect(file.bytes == download.body && file.bytes.count > 100, "\(target)")
            }
            #expect(await reports.file(at: "/v1/summaries?group=none") == .refused("The group does not exist."))
        }
    }

    @Test("with one stream on each node, which ends with its reader") func stream() async throws {
        var options = PartitionCluster.Options()
        // The stream of the second node begins only when the first one has ended in all partitions.
        options.configure = { dependencies, _ in dependencies.limits.streamsPerToken = 1 }
        try await PartitionCluster.run(options) { cluster in
            try await Self.addRegion(cluster)
            for (number, node) in cluster.nodes.enumerated() {
                let names = Self.devices.map { "\($0)-\(number)" }
                var isOpen = false
                while !isOpen {
                    isOpen = try await Self.read(cluster, node, count: names.count * (number + 1)) {
                        try await Self.walk(cluster, names, through: 1 - number)
                    }
                }
            }
        }
    }

    /// Reads so many events of the stream, with a ticket.
    ///
    /// - Returns: `false` when there are too many readers.
    private static func read(
        _ cluster: PartitionCluster, _ node: PartitionCluster.Node, count: Int,
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws -> Bool {
        let made = try await node.send("POST", "/v1/stream/tickets", token: cluster.token)
        let ticket = try #require(try JSONDocument(parsing: made.body).root["ticket"]?.string)
        let isOpen = Mutex(false)
        try await RawConnection.open(node.port) { inbound, outbound in
            let query = "ticket=\(ticket)&lastEventId=0&type=region.entered"
            try await outbound.write("GET /v1/stream?\(query) HTTP/1.1\r\nhost: x\r\n\r\n")
            var text = try await inbound.read(until: "\r\n\r\n")
            guard text.hasPrefix("HTTP/1.1 200") else {
                #expect(text.hasPrefix("HTTP/1.1 429"), "\(text)")
                return
            }
            #expect(text.contains("text/event-stream"))
            isOpen.withLock { $0 = true }
            try await body()
            while text.components(separatedBy: "event: region.entered\n").count <= count {
                let more = try await inbound.read(until: "\n\n")
                if more.isEmpty { break }
                text += more
            }
            #expect(text.components(separatedBy: "event: region.entered\n").count == count + 1)
            #expect(text.contains("retry: 3000\n\n") && !text.contains(": at") && !text.contains("gap"))
        }
        return isOpen.withLock { $0 }
    }
}
