import FencepostHTTP
import FencepostModel
import FencepostTransport
import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Testing

@testable import FencepostServer

/// Nodes that show each other certificates.
@Suite("A port for the nodes of a cluster", .enabled(if: NodeCertificates.program != nil, "openssl is not installed"))
struct PeerTLSTests {
    private static func run(
        _ tls: PeerTLS, leader: @escaping @Sendable () -> String?,
        _ body: @escaping @Sendable (NodeRouter) async throws -> Void
    ) async throws {
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let router = NodeRouter(
            .onAnyPort, limits: ConnectionLimits(), logger: logger, now: { TestServer.now }, metricsText: { "" },
            holdTime: .seconds(5), peers: (port: 0, tls: tls),
            upstream: { _ in NodeRouter.Upstream(leader: leader(), problem: nil) },
            makeCopy: { _ in throw CancellationError() }, onListening: { continuation.yield($0) })
        router.setKey(NodeRouterTests.key)
        let group = ServiceGroup(services: [router], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await _ in ports { break }
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(router))
            } catch {
                result = .failure(error)
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            try result.get()
        }
    }

    @Test("takes requests of nodes with a certificate, and nothing else; that of clients takes none of nodes")
    func serves() async throws {
        let certificates = try NodeCertificates()
        let tls = try certificates.tls()
        try await Self.run(tls, leader: { nil }) { leader in
            try await TestServer.run {
                $0.router = leader.attachment(.partition(0))
            } _: { server in
                let peer = "https://127.0.0.1:\(try #require(leader.peerPort))"
                try await Self.run(tls, leader: { peer }) { follower in
                    let url = "http://127.0.0.1:\(try #require(follower.port))"
                    var request = HTTPClientRequest("GET", url + "/v1/regions")
                    request.headers = [("Authorization", "Bearer \(server.token)")]
                    #expect(try await HTTPClient.shared.response(to: request).status == 200)
                }
                // A node of another authority, and a client without a certificate.
                let stranger = try NodeCertificates().tls()
                try await Self.run(stranger, leader: { peer }) { follower in
                    let url = "http://127.0.0.1:\(try #require(follower.port))"
                    #expect(
                        try await HTTPClient.shared.response(to: HTTPClientRequest("GET", url + "/v1/regions")).status
                            == 503)
                }
                await #expect(throws: TransportFailure.self) {
                    try await HTTPClient.shared.response(to: HTTPClientRequest("GET", peer + "/healthz"))
                }
                // Signed, but over the port of clients: a node that is forwarded to would answer 503 for another's part.
                let main = "http://127.0.0.1:\(try #require(leader.port))"
                let answer = try await NodeRouterTests.sendAsNode(to: main, "POST", "/v1/cluster/submissions", body: [])
                #expect(answer.status == 404)
            }
        }
    }

    @Test("needs files that can be used") func files() throws {
        let certificates = try NodeCertificates()
        #expect(throws: PeerTLS.Failure.self) {
            try PeerTLS(certificateFile: "/nowhere.pem", keyFile: "/nowhere.key", authorityFile: "/nowhere.pem")
        }
        #expect(throws: Never.self) { try certificates.tls() }
    }
}

/// An authority of the test's own and a certificate that it has signed.
final class NodeCertificates {
    static let program = ["/usr/bin/openssl", "/usr/local/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-nodes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        try run(["req", "-x509", "-subj", "/CN=nodes", "-days", "2", "-keyout", "ca.key", "-out", "ca.pem"] + key)
        try run(["req", "-subj", "/CN=node", "-keyout", "node.key", "-out", "node.csr"] + key)
        try run([
            "x509", "-req", "-in", "node.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
            "-out", "node.pem",
        ])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func tls() throws -> PeerTLS {
        try PeerTLS(certificateFile: path("node.pem"), keyFile: path("node.key"), authorityFile: path("ca.pem"))
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: try #require(Self.program))
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }
}
