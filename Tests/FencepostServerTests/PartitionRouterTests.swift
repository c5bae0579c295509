import FencepostGeometry
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostServiceTesting
import FencepostStore
import FencepostTransport
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import Testing

@testable import FencepostServer

/// The nodes of a cluster of a configuration and three partitions.
@Suite("Routers of several partitions") struct PartitionRouterTests {
    private static let parts = PartitionCluster.partitions.devices

    private static func text(_ response: HTTPClientResponse) -> String {
        String(decoding: response.body, as: UTF8.self)
    }

    private static func locations(_ devices: [String], minute: Int = 1) -> String {
        let fixes = devices.map { TestServer.location($0, minute, 50, 10) }.joined(separator: ",")
        return "{\"locations\":[\(fixes)]}"
    }

    // MARK: - Locations

    private struct Answer: Hashable, Sendable {
        var status: Int
        var type: String?
        var body: String
    }

    private static let listings = ["jane", "jane%2Fphone", "bob%2Ftab", "van", "eve", "log"].flatMap { device in
        ["/v1/locations?deviceId=\(device)", "/v1/devices/\(device)", "/v1/reports?deviceId=\(device)"]
    }

    private static let requests =
        IngestGatewayTests.requests + [
            IngestGatewayTests.Sent(path: "/pub", body: "[", type: "application/json"),
            IngestGatewayTests.Sent(path: "/ingest/gpslogger?lat=5&lon=6&id=log"),
            IngestGatewayTests.Sent(
                method: "HEAD", path: "/ingest/osmand?id=van&lat=50.1&lon=10.2&timestamp=1772352310"),
            IngestGatewayTests.Sent(method: "DELETE", path: "/ingest/osmand"),
            IngestGatewayTests.Sent(path: "/v1/locations", body: locations(["a", "b", "c", "d", "a"])),
            IngestGatewayTests.Sent(path: "/v1/locations", body: locations(["a", "b", "e"])),
            IngestGatewayTests.Sent(path: "/v1/locations", body: "x", headers: [("Content-Encoding", "br")]),
            IngestGatewayTests.Sent(path: "/v1/locations?a=%ff", body: "{}"),
            IngestGatewayTests.Sent(path: "/v1/locations", body: "x", headers: [("Authorization", "Bearer fp_x")]),
        ]

    private static func headers(_ sent: IngestGatewayTests.Sent, token: String) -> [(name: String, value: String)] {
        var headers = sent.headers
        if sent.body != nil { headers.append(("Content-Type", sent.type)) }
        if !headers.contains(where: { $0.name == "Authorization" }) {
            headers.append(("Authorization", "Bearer \(token)"))
        }
        return headers
    }

    @Test("answer and store all formats as a single node does") func formats() async throws {
        let direct = Mutex<(answers: [Answer], listings: [String], quarantine: Int)>(([], [], 0))
        try await TestServer.run { server in
            for sent in Self.requests {
                let reply = try await server.send(
                    HTTPMethod(rawValue: sent.method), sent.path, body: sent.body.map { Array($0.utf8) },
                    headers: Self.headers(sent, token: server.token).map { ($0.name, $0.value) }, token: .some(nil))
                let answer = Answer(status: reply.status, type: reply["content-type"], body: reply.text)
                direct.withLock { $0.answers.append(answer) }
            }
            for path in Self.listings {
                let text = try await server.get(path).text
                direct.withLock { $0.listings.append(text) }
            }
            let entries = try await server.get("/v1/quarantine").json["data"]?.array?.count ?? 0
            direct.withLock { $0.quarantine = entries }
        }
        let expected = direct.withLock { $0 }
        #expect(expected.quarantine > 1)
        try await PartitionCluster.run { cluster in
            for (index, sent) in Self.requests.enumerated() {
                var request = HTTPClientRequest(
                    sent.method, cluster.nodes[index % 2].url + sent.path, body: sent.body.map { Array($0.utf8) })
                request.headers = Self.headers(sent, token: cluster.token)
                let reply = try await HTTPClient.shared.response(to: request)
                let answer = Answer(
                    status: reply.status, type: reply.header("content-type"), body: Self.text(reply))
                #expect(answer == expected.answers[index], "\(sent.testDescription)")
            }
            for (path, listing) in zip(Self.listings, expected.listings) {
                for node in cluster.nodes {
                    let text = Self.text(try await node.send("GET", path, token: cluster.token))
                    // The number of a row counts those of its own database.
                    #expect(text == listing, "\(path)")
                }
            }
            var quarantined = 0
            for server in cluster.servers.values {
                quarantined += try await server.store.quarantine(HistoryFilter(), after: 0, limit: 100).count
            }
            #expect(quarantined == expected.quarantine)
        }
    }

    @Test("store a device in its partition only, and keep the order of its locations") func division() async throws {
        try await PartitionCluster.run { cluster in
            let devices = (0..<30).map { "device \($0)" }
            for minute in 0..<5 {
                let reply = try await cluster.nodes[minute % 2].send(
                    "POST", "/v1/locations", Self.locations(devices, minute: minute), token: cluster.token)
                #expect(Self.text(reply) == #"{"accepted":30,"duplicates":0,"rejected":[]}"#)
            }
            for device in devices {
                #expect(cluster.partitions(of: device) == [PartitionCluster.partitions.part(of: DeviceID(device))])
                let path = "/v1/locations?deviceId=\(device.replacing(" ", with: "%20"))"
                let reply = try await cluster.nodes[0].send("GET", path, token: cluster.token)
                let rows = try JSONDocument(parsing: reply.body).root["data"]?.array
                let times = rows?.compactMap { $0["timestamp"]?.string } ?? []
                #expect(times.count == 5 && times == times.sorted())
            }
            let again = try await cluster.nodes[0].send(
                "POST", "/v1/locations", Self.locations(devices + ["new"], minute: 3), token: cluster.token)
            #expect(Self.text(again) == #"{"accepted":1,"duplicates":30,"rejected":[]}"#)
        }
    }

    private static let track =
        "deviceId,timestamp,latitude,longitude\n"
        + (0..<40).map {
            "\(["a", "b", "c", "d", "e"][$0 % 5]),\(1_772_352_000 + $0 * 60),50.00\($0 % 9),10.00\($0 % 9)\n"
        }
        .joined() + "f,1772352000,95,10\n"

    private static let imports = [
        "/v1/imports?dryRun=true&lines=true&file=t.csv", "/v1/imports?file=t.csv", "/v1/imports?file=t.csv",
        "/v1/imports?dryRun=true", "/v1/imports?format=none", "/v1/imports?format=gpx",
    ]

    @Test("import files of several devices as a single node does") func importFiles() async throws {
        let direct = Mutex<(answers: [Answer], quarantine: Int)>(([], 0))
        try await TestServer.run { server in
            _ = try await server.put("/v1/regions/office", TestServer.office)
            for path in Self.imports {
                let reply = try await server.post(path, Self.track, type: "text/csv")
                let answer = Answer(status: reply.status, type: reply["content-type"], body: reply.text)
                direct.withLock { $0.answers.append(answer) }
            }
            let entries = try await server.store.quarantine(HistoryFilter(), after: 0, limit: 100).count
            direct.withLock { $0.quarantine = entries }
        }
        let expected = direct.withLock { $0 }
        #expect(expected.answers[1].body.contains(#""stored":40,"duplicates":0"#) && expected.quarantine == 2)
        #expect(expected.answers[0].body.contains(#""line""#))
        try await PartitionCluster.run { cluster in
            // As the mirror of the configuration does.
            for part in Self.parts {
                let reply = try await NodeRouterTests.sendAsNode(
                    to: cluster.nodes[cluster.leader(of: part)].url, "PUT", "/v1/regions/office", part: part,
                    body: Array(TestServer.office.utf8),
                    headers: [("Authorization", "Bearer \(cluster.token)"), ("Content-Type", "application/json")])
                #expect(reply.status == 201)
            }
            for (index, path) in Self.imports.enumerated() {
                let reply = try await cluster.nodes[index % 2].send(
                    "POST", path, Self.track, token: cluster.token, headers: [("Content-Type", "text/csv")])
                let answer = Answer(status: reply.status, type: reply.header("content-type"), body: Self.text(reply))
                #expect(answer == expected.answers[index], "\(path)")
            }
            for device in ["a", "b", "c", "d", "e"] {
                #expect(cluster.partitions(of: device) == [PartitionCluster.partitions.part(of: DeviceID(device))])
            }
            var quarantined = 0
            for server in cluster.servers.values {
                quarantined += try await server.store.quarantine(HistoryFilter(), after: 0, limit: 100).count
            }
            #expect(quarantined == expected.quarantine)
            let bound = try await cluster.issue(["ingest"], device: "a")
            let refused = try await cluster.nodes[0].send(
                "POST", "/v1/imports", Self.track, token: bound, headers: [("Content-Type", "text/csv")])
            #expect(refused.status == 403)
        }
    }

    @Test("add up what an import has done in each partition") func importSums() throws {
        func merged(_ texts: [String], like index: Int) throws -> String {
            let roots = try texts.map { try JSONDocument(parsing: Array($0.utf8)).root }
            return String(decoding: PartitionImport.merged(roots, like: roots[index]), as: UTF8.self)
        }
        let done = #"{"file":null,"stored":8,"duplicates":2,"ignored":1,"rejected":[],"events":{"a":1,"b":2}}"#
        let job =
            #"{"id":"imp_1","state":"storing","progress":0.25,"locations":30,"stored":5,"duplicates":1,"ignored":1,"#
            + #""rejected":[{"line":7}],"events":{"b":3}}"#
        let evaluating =
            #"{"id":"imp_1","state":"evaluating","progress":0.5,"locations":0,"stored":0,"duplicates":0,"#
            + #""ignored":1,"rejected":[],"events":{}}"#
        #expect(
            try merged([done, job, evaluating], like: 1)
                == #"{"id":"imp_1","state":"storing","progress":0.438,"locations":40,"stored":13,"duplicates":3,"#
                + #""ignored":1,"rejected":[{"line":7}],"events":{"a":1,"b":5}}"#)
        let uncounted = #"{"file":null,"stored":1,"duplicates":0,"ignored":1,"rejected":[]}"#
        #expect(
            try merged([done, uncounted], like: 0)
                == #"{"file":null,"stored":9,"duplicates":2,"ignored":1,"rejected":[]}"#)
    }

    @Test("take what phones send to the port of OsmAnd, compressed bodies and Basic credentials") func phones()
        async throws
    {
        let probe = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(probe.localAddress?.port)
        try await probe.close()
        try await PartitionCluster.run { cluster in
            let basic = "Basic " + Data("any:\(cluster.token)".utf8).base64EncodedString()
            let pub = #"{"_type":"location","lat":48.8,"lon":2.2,"tst":1772352000}"#
            for (index, node) in cluster.nodes.enumerated() {
                let sent = try await node.send(
                    "POST", "/pub?u=jane&d=\(index)", pub, headers: [("Authorization", basic)])
                #expect(sent.status == 200 && Self.text(sent) == "[]")
                let wrong = try await node.send(
                    "POST", "/pub?u=jane&d=x", pub, headers: [("Authorization", "Basic eA==")])
                #expect(wrong.status == 401)
                #expect(
                    wrong.headers.contains { $0.name.lowercased() == "www-authenticate" && $0.value.hasPrefix("Basic") }
                )
                var request = HTTPClientRequest(
                    "POST", node.url + "/v1/locations",
                    body: Deflater.gzip(Array(Self.locations(Array(repeating: "zip\(index)", count: 9)).utf8)))
                request.headers = [
                    ("Authorization", "Bearer \(cluster.token)"), ("Content-Encoding", "gzip"),
                    ("Content-Type", "application/json"),
                ]
                let packed = try await HTTPClient.shared.response(to: request)
                #expect(Self.text(packed) == #"{"accepted":1,"duplicates":8,"rejected":[]}"#)
            }
            for device in ["jane/0", "jane/1", "zip0", "zip1"] { #expect(cluster.partitions(of: device).count == 1) }
            #expect(cluster.partitions(of: "jane/x") == [])
        }
        var options = PartitionCluster.Options()
        options.osmandPort = port
        try await PartitionCluster.run(options) { cluster in
            func send(_ target: String) async throws -> (Int, String) {
                let url = "http://127.0.0.1:\(port)\(target)"
                let reply = try await HTTPClient.shared.response(to: HTTPClientRequest("GET", url))
                return (reply.status, Self.text(reply))
            }
            let part = PartitionCluster.device(.partition(1))
            #expect(try await send("/?id=\(part)&lat=1&lon=2&token=\(cluster.token)") == (200, ""))
            #expect(cluster.partitions(of: part) == [.partition(1)])
            #expect(try await send("/?id=\(part)&lat=1&lon=2").0 == 401)
            let refused = try await send("/v1/devices?id=\(part)&lat=100&lon=2&token=\(cluster.token)")
            #expect(refused.0 == 400 && refused.1.contains(#""instance":"/v1/devices""#))
        }
    }

    @Test("store what a node submits itself") func ownSubmissions() async throws {
        try await PartitionCluster.run(PartitionCluster.Options(skew: .seconds(60))) { cluster in
            var submission = Submission(format: "owntracks")
            for part in Self.parts {
                submission.locations.append(
                    Location(
                        deviceID: DeviceID(PartitionCluster.device(part)), timestamp: TestServer.now,
                        coordinate: .init(latitude: 1, longitude: 2)))
            }
            let first = try await cluster.nodes[0].router.submit(submission, as: nil)
            #expect(first == SubmissionReceipt(accepted: 3))
            let second = try await cluster.nodes[1].router.submit(submission, as: TokenText.hash(cluster.token))
            #expect(second == SubmissionReceipt(duplicates: 3))
            for part in Self.parts { #expect(cluster.partitions(of: PartitionCluster.device(part)) == [part]) }
            await #expect(throws: Problem.self) {
                try await cluster.nodes[1].router.submit(submission, as: TokenText.hash("fp_unknown"))
            }
        }
    }

    @Test(
        "give a location without a time that of its leader, however wrong their own clocks are",
        arguments: [-3600, 3600])
    func clocks(seconds: Int) async throws {
        try await PartitionCluster.run(PartitionCluster.Options(skew: .seconds(seconds))) { cluster in
            for part in Self.parts {
                let device = PartitionCluster.device(part)
                for node in cluster.nodes {
                    let path = "/ingest/osmand?id=\(device)&lat=1&lon=2"
                    #expect(try await node.send("GET", path, token: cluster.token).status == 200)
                }
                let reply = try await cluster.nodes[0].send(
                    "GET", "/v1/locations?deviceId=\(device)", token: cluster.token)
                let rows = try JSONDocument(parsing: reply.body).root["data"]?.array
                // The second is the same one again.
                #expect(rows?.map { $0["timestamp"]?.string } == [TestServer.now.rfc3339])
            }
            let devices = Self.parts.map { PartitionCluster.device($0) }
            let reply = try await cluster.nodes[0].send(
                "POST", "/v1/locations", Self.locations(devices), token: cluster.token)
            #expect(Self.text(reply) == #"{"accepted":3,"duplicates":0,"rejected":[]}"#)
        }
    }

    @Test("count the requests of a token where they arrive") func limits() async throws {
        var options = PartitionCluster.Options()
        options.server = { $0.ingestRate = 2 }
        try await PartitionCluster.run(options) { cluster in
            func status(_ node: PartitionCluster.Node) async throws -> Int {
                try await node.send("POST", "/v1/locations", Self.locations(["a", "b"]), token: cluster.token).status
            }
            #expect(try await status(cluster.nodes[0]) == 200)
            let second = try await cluster.nodes[0].send(
                "POST", "/v1/locations", Self.locations(["a"]), token: cluster.token)
            #expect(second.header("ratelimit")?.contains("r=0") == true)
            #expect(try await status(cluster.nodes[0]) == 429)
            #expect(try await status(cluster.nodes[1]) == 200)
        }
    }

    // MARK: - Access

    @Test("refuse a revoked token at once, and what a token does not permit") func access() async throws {
        try await PartitionCluster.run { cluster in
            let device = PartitionCluster.device(.partition(2))
            func status(_ token: String, _ device: String) async throws -> [Int] {
                var statuses: [Int] = []
                for node in cluster.nodes {
                    let body = Self.locations([device])
                    statuses.append(try await node.send("POST", "/v1/locations", body, token: token).status)
                }
                return statuses
            }
            let token = try await cluster.issue(["ingest"])
            #expect(try await status(token, device) == [200, 200])
            let stored = try #require(
                try await cluster.servers[.configuration]?.store.token(hash: TokenText.hash(token)))
            for part in PartitionCluster.partitions.parts {
                _ = try await cluster.servers[part]?.store.removeToken(id: stored.id)
                cluster.nodes[cluster.leader(of: part)].router.attachment(part).configurationDidChange()
            }
            #expect(try await status(token, device) == [401, 401])
            #expect(try await status(try await cluster.issue(["read"]), device) == [403, 403])
            let bound = try await cluster.issue(["ingest", "read"], device: device)
            #expect(try await status(bound, device) == [200, 200])
            #expect(try await status(bound, PartitionCluster.device(.partition(0))) == [403, 403])
            // The token says which device is meant.
            for node in cluster.nodes {
                for path in ["/v1/locations", "/v1/devices", "/v1/events"] {
                    let reply = try await node.send("GET", path, token: bound)
                    #expect(reply.status == 200)
                    let rows = try JSONDocument(parsing: reply.body).root["data"]?.array
                    #expect(path == "/v1/events" || rows?.count == 1, "\(path)")
                }
            }
        }
    }

    @Test("take locations of signed-in users") func sessions() async throws {
        try await PartitionCluster.run { cluster in
            let configuration = try #require(cluster.servers[.configuration])
            let editor = try await SignedInBrowser.signIn(
                configuration, "jane", role: "editor", limits: #","devices":["d*"]"#)
            let viewer = try await SignedInBrowser.signIn(configuration, "bob", role: "viewer")
            let own = Self.locations(Self.parts.map { PartitionCluster.device($0) })
            for (index, node) in cluster.nodes.enumerated() {
                func send(_ browser: SignedInBrowser, _ body: String, site: String = "same-origin") async throws -> Int
                {
                    let cookie = try #require(browser.cookie)
                    let headers = [("Cookie", cookie), ("Sec-Fetch-Site", site)].map { (name: $0.0, value: $0.1) }
                    return try await node.send("POST", "/v1/locations", body, headers: headers).status
                }
                #expect(try await send(editor, own) == 200, "\(index)")
                #expect(try await send(editor, Self.locations(["x"])) == 403)
                #expect(try await send(editor, own, site: "cross-site") == 403)
                #expect(try await send(viewer, own) == 403)
                var stranger = editor
                stranger.cookie = "fencepost_session=fps_nothing"
                #expect(try await send(stranger, own) == 401)
            }
            #expect(cluster.partitions(of: PartitionCluster.device(.partition(1))) == [.partition(1)])
        }
    }

    @Test("believe the name of a part only with the key") func forgery() async throws {
        try await PartitionCluster.run(PartitionCluster.Options(holdTime: .seconds(5))) { cluster in
            let device = PartitionCluster.device(.partition(0))
            _ = try await cluster.nodes[0].send(
                "POST", "/v1/locations", Self.locations([device]), token: cluster.token)
            let wrongKey = Array(NodeRouterTests.key.dropLast()) + [0]
            for node in cluster.nodes {
                for forged in [
                    [("Fencepost-Part", "1")], [("Fencepost-Part", "config")],
                    [("Fencepost-Fan-Out", "1"), ("Fencepost-Import", "imp_x")],
                    [("Fencepost-Forwarded", "\(String(decoding: NodeRouterTests.key, as: UTF8.self)) local")],
                ] {
                    let headers = forged.map { (name: $0.0, value: $0.1) }
                    let path = "/v1/devices/\(device)"
                    #expect(try await node.send("GET", path, token: cluster.token, headers: headers).status == 200)
                    let asked = try await node.send(
                        "POST", "/v1/cluster/submissions", "", token: cluster.token, headers: headers)
                    #expect(asked.status == 404)
                    let session = try await node.send("GET", "/v1/cluster/session", headers: headers)
                    #expect(session.status == 404)
                }
                // A command of the same machine needs no token, but comes by another socket.
                let key = String(decoding: NodeRouterTests.key, as: UTF8.self)
                let local = [(name: "Fencepost-Forwarded", value: "\(key) local")]
                for path in ["/v1/tokens", "/v1/devices", "/v1/users"] {
                    #expect(try await node.send("GET", path, headers: local).status == 401)
                }
                let forged = try await NodeRouterTests.sendAsNode(
                    to: node.url, "GET", "/v1/cluster/session", part: .partition(1), key: wrongKey)
                #expect(forged.status == 404)
                // Another node took this one for the leader of a part.
                for part in [ClusterPartition.partition(7), nil] {
                    let answer = try await NodeRouterTests.sendAsNode(
                        to: node.url, "GET", "/v1/version", client: "1.2.3.4", part: part)
                    #expect(answer.status == 503 && answer.header("fencepost-unhandled") == "1")
                }
                // A version before signatures asks for one part, and would get the answer of all.
                let old = try await node.send(
                    "GET", "/v1/devices", token: cluster.token,
                    headers: [("Fencepost-Forwarded", "0123 1.2.3.4"), ("Fencepost-Part", "1")])
                #expect(old.status == 503 && old.header("fencepost-unhandled") == "1")
            }
            // The service of a partition stores no device of another one, also if it is asked.
            let authorization = ("Authorization", "Bearer \(cluster.token)")
            let refused = try await NodeRouterTests.sendAsNode(
                to: cluster.nodes[0].url, "POST", "/v1/locations", client: "1.2.3.4", part: .partition(1),
                body: Array(Self.locations([PartitionCluster.device(.partition(2))]).utf8),
                headers: [authorization, ("Content-Type", "application/json")])
            #expect(refused.status == 421)
            var submission = Submission(format: "native")
            submission.locations = Self.parts.map {
                Location(
                    deviceID: DeviceID(PartitionCluster.device($0, 1)), timestamp: TestServer.now,
                    coordinate: Coordinate(latitude: 1, longitude: 2))
            }
            var entries = [SubmissionEnvelope.Entry(tokenHash: nil, submission: submission)]
            submission.locations.removeAll { $0.deviceID.rawValue != PartitionCluster.device(.partition(1), 1) }
            entries.append(SubmissionEnvelope.Entry(tokenHash: nil, submission: submission))
            entries.append(SubmissionEnvelope.Entry(tokenHash: TokenText.hash("fp_x"), submission: submission))
            for (address, outcomes) in [
                ("1.2.3.4", nil), ("-", [.unhandled, .stored(SubmissionReceipt(accepted: 1)), .refused]),
            ] as [(String, [SubmissionEnvelope.Outcome]?)] {
                let reply = try await NodeRouterTests.sendAsNode(
                    to: cluster.nodes[0].url, "POST", "/v1/cluster/submissions", client: address, part: .partition(1),
                    body: SubmissionEnvelope(version: .everything, sentAt: TestServer.now, entries: entries).encoded,
                    headers: [authorization])
                #expect(reply.status == (outcomes == nil ? 404 : 200))
                if let outcomes {
                    let decoded = try SubmissionEnvelope.Reply(decoding: reply.body, count: outcomes.count)
                    #expect(decoded == .outcomes(outcomes))
                }
            }
            #expect(cluster.partitions(of: PartitionCluster.device(.partition(2))) == [])
        }
    }

    // MARK: - Leaders

    @Test("reach a device from any node, however its name is written") func devices() async throws {
        try await PartitionCluster.run { cluster in
            let names = ["jane/phone", "Z\u{FC}rich", "100%", "a+b c"] + Self.parts.map { PartitionCluster.device($0) }
            _ = try await cluster.nodes[0].send("POST", "/v1/locations", Self.locations(names), token: cluster.token)
            for name in names + ["Zu\u{308}rich"] {
                let encoded = name.utf8.map { "%" + String($0, radix: 16) }.joined()
                for node in cluster.nodes {
                    for path in [
                        "/v1/devices/\(encoded)", "/v1/devices/\(encoded)/export", "/v1/visits?deviceId=\(encoded)",
                    ] {
                        let reply = try await node.send("GET", path, token: cluster.token)
                        #expect(reply.status == 200, "\(path)")
                        #expect(!path.hasSuffix(encoded) || path.contains("visits") || !reply.body.isEmpty)
                    }
                }
            }
            for node in cluster.nodes {
                #expect(try await node.send("GET", "/v1/devices/%ff", token: cluster.token).status == 400)
                #expect(try await node.send("GET", "/v1/devices/nobody", token: cluster.token).status == 404)
                #expect(try await node.send("GET", "/v1/devices/%0a", token: cluster.token).status == 404)
                #expect(try await node.send("GET", "/v1/regions", token: cluster.token).status == 200)
                #expect(try await node.send("GET", "/v1/regions").status == 401)
                #expect(try await node.send("GET", "/").status == 200)
                #expect(try await node.send("GET", "/v1/nothing", token: cluster.token).status == 404)
            }
            let erased = try await cluster.nodes[0].send("DELETE", "/v1/devices/jane%2Fphone", token: cluster.token)
            #expect(erased.status == 204)
            #expect(cluster.partitions(of: "jane/phone") == [])
        }
    }

    @Test("hold locations and questions about a partition while nobody leads it, and only these") func takeover()
        async throws
    {
        var options = PartitionCluster.Options()
        options.parts = [.configuration, .partition(1), .partition(2)]
        try await PartitionCluster.run(options) { cluster in
            let devices = Self.parts.map { PartitionCluster.device($0) }
            let token = cluster.token
            // The other partitions answer.
            let others = try await cluster.nodes[0].send(
                "POST", "/v1/locations", Self.locations(Array(devices.dropFirst())), token: token)
            #expect(others.status == 200)
            for index in 0..<2 {
                let node = cluster.nodes[index]
                let held = Task {
                    try await node.send(
                        "POST", "/v1/locations", Self.locations(devices, minute: 2 + index), token: token)
                }
                let asked = Task {
                    try await node.send("GET", "/v1/visits?deviceId=\(devices[0])", token: token).status
                }
                let reads = node.upstreams.reads
                while node.upstreams.reads < reads + 20 { await Task.yield() }
                // The node that has them becomes the leader, and then the other one.
                try await cluster.lead(.partition(0), on: index) { _ in
                    let reply = try await held.value
                    #expect(Self.text(reply) == #"{"accepted":3,"duplicates":0,"rejected":[]}"#)
                    let status = try await asked.value
                    #expect(status == 200)
                }
            }
        }
    }

    @Test("answer 503 when a partition has no leader for too long, and nothing is lost with the second try")
    func givesUp() async throws {
        var options = PartitionCluster.Options(holdTime: .milliseconds(200))
        options.parts = [.configuration, .partition(1), .partition(2)]
        try await PartitionCluster.run(options) { cluster in
            let devices = Self.parts.map { PartitionCluster.device($0) }
            let first = try await cluster.nodes[0].send(
                "POST", "/v1/locations", Self.locations(devices), token: cluster.token)
            #expect(first.status == 503)
            #expect(first.header("retry-after") != nil)
            let asked = try await cluster.nodes[0].send("GET", "/v1/devices/\(devices[0])", token: cluster.token)
            #expect(asked.status == 503 && asked.header("retry-after") != nil)
            let ready = try await cluster.nodes[0].send("GET", "/readyz")
            #expect(Self.text(ready).contains("partition2"))
            try await cluster.lead(.partition(0), on: 1) { cluster in
                let second = try await cluster.nodes[0].send(
                    "POST", "/v1/locations", Self.locations(devices), token: cluster.token)
                #expect(Self.text(second) == #"{"accepted":1,"duplicates":2,"rejected":[]}"#)
                for node in cluster.nodes {
                    #expect(try await node.send("GET", "/readyz").status == 200)
                    #expect(try await node.send("GET", "/healthz").status == 200)
                    #expect(Self.text(try await node.send("GET", "/metrics")) == "own 1\n")
                }
            }
        }
    }

    @Test("stream to a caller in the same process until it takes no more") func streams() async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        try await PartitionCluster.run { cluster in
            // In this process, and on the other node.
            for part in [ClusterPartition.partition(1), .partition(2)] {
                let caller = RouterCaller(router: cluster.nodes[0].router, channel: channel, authority: "localhost")
                let request = PartitionRequest(
                    method: .get, target: "/v1/stream?lastEventId=0",
                    headers: [.authorization: "Bearer \(cluster.token)"], client: "127.0.0.1", isRepeatable: true)
                let response = try await caller.answer(to: request, from: part)
                #expect(response.status == .ok)
                let body = response.body
                await #expect(throws: ResponseBody.TooLarge.self) { _ = try await body.collected(limit: 0) }
            }
        }
        try await channel.close()
    }

    // MARK: - Changes of the configuration

    @Test("answer a change when all partitions have it, and say so when they do not") func mirror() async throws {
        let positions = Mutex<[ClusterPartition: [UInt64]]>([:])
        let isStuck = Mutex(false)
        var options = PartitionCluster.Options(mirrorTime: .milliseconds(400))
        options.configure = { dependencies, part in
            if part == .configuration { dependencies.position = { 41 } }
            dependencies.untilMirrored = { position in
                if part == .partition(2), isStuck.withLock({ $0 }) { throw CancellationError() }
                positions.withLock { $0[part, default: []].append(position) }
            }
        }
        try await PartitionCluster.run(options) { cluster in
            for (index, node) in cluster.nodes.enumerated() {
                let reply = try await node.send("PUT", "/v1/regions/office", TestServer.office, token: cluster.token)
                #expect(reply.status == (index == 0 ? 201 : 200))
                #expect(reply.header("fencepost-position") == nil)
                let known = positions.withLock { $0 }
                #expect(known == Dictionary(uniqueKeysWithValues: Self.parts.map { ($0, [41]) }))
                positions.withLock { $0 = [:] }
                // A question changes nothing, and a refused change may have.
                #expect(try await node.send("GET", "/v1/regions", token: cluster.token).status == 200)
                #expect(positions.withLock { $0 } == [:])
                #expect(try await node.send("DELETE", "/v1/regions/none", token: cluster.token).status == 404)
                #expect(positions.withLock { $0.count } == 3)
                positions.withLock { $0 = [:] }
            }
            isStuck.withLock { $0 = true }
            for node in cluster.nodes {
                let reply = try await node.send("DELETE", "/v1/regions/office", token: cluster.token)
                #expect(reply.status == 503 && reply.header("retry-after") != nil)
                #expect(Self.text(reply).contains("not_everywhere"))
            }
            #expect(try await cluster.nodes[0].send("GET", "/v1/regions/office", token: cluster.token).status == 404)
        }
    }
}
