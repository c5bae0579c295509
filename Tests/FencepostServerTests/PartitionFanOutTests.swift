import FencepostGeometry
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import FencepostServiceTesting
import FencepostStore
import FencepostTesting
import Foundation
import HTTPTypes
import Hummingbird
import NIOHTTP1
import Testing

@testable import FencepostServer

/// Answers over all partitions of a cluster are those of a single server with the same data.
@Suite("Answers over partitions") struct PartitionFanOutTests {
    static let devices = ["anna/phone", "ben", "cleo/é", "dora", "emil", "fritz", "gina", "hans/tablet"]

    /// A cluster of three partitions and a single server with the same history.
    private static func withHistory(_ body: @escaping @Sendable (PartitionServers) async throws -> Void) async throws {
        try await PartitionServers.run(3) { cluster in
            let numbers = Set(devices.map { cluster.partitions.partition(of: DeviceID($0)) })
            #expect(numbers.count == 3)
            let office = TestServer.office.replacing("\"colour\":\"red\"", with: #""tags":["work","indoors"]"#)
            try await cluster.change(.PUT, "/v1/regions/office", office)
            let app =
                #"{"id":"courier","given":{"grant":"always"},"devices":["*"],"#
                + #""services":[{"service":"regionMonitoring"},{"service":"visits"}]}"#
            try await cluster.change(.POST, "/v1/apps", app)
            try await cluster.change(.PUT, "/v1/groups/some", #"{"devices":["dora","*/*"]}"#)
            for day in -3...(-1) {
                for (index, device) in devices.enumerated() {
                    // No two devices do anything at the same time.
                    let start = 8 * 3600 + index * 7 + 1
                    try await cluster.send(
                        HistoryReportTests.morning(device, day: day, from: start).split(separator: "\n").map(
                            String.init))
                    cluster.advance(by: .seconds(1))
                }
            }
            for device in devices + devices.reversed() {
                let reports = [
                    "{\"deviceId\":\"\(device)\",\"timestamp\":\"2026-03-01T09:00:00Z\",\"latitude\":95,\"longitude\":1}"
                ]
                try await cluster.send(reports)
                cluster.advance(by: .seconds(1))
            }
            for (index, device) in devices.enumerated() {
                let here = try #require(cluster.servers[cluster.partitions.part(of: DeviceID(device))])
                let transition =
                    #"{"_type":"transition","tst":\#(1_772_352_000 + index),"lat":50,"lon":10,"event":"enter","desc":"x"}"#
                for server in [here, cluster.single] {
                    let path = "/v1/devices/\(device.percentEncoded)/profile"
                    let name = "{\"name\":\"\(device) 1.50\"}"
                    #expect(try await server.put(path, name).status == 200)
                    let sent = try await server.send(
                        .POST, "/ingest/owntracks", body: Array(transition.utf8), type: "application/json",
                        token: .some(try await Self.issued(device, on: server)))
                    #expect(sent.status == 200, "\(sent.text)")
                }
            }
            try await body(cluster)
        }
    }

    /// A token that sends for a device.
    private static func issued(_ device: String, on server: TestServer) async throws -> String {
        let (text, stored) = PartitionServers.issue("\(device) sends", [.ingest], device: DeviceID(device))
        try await server.store.save(stored)
        return text
    }

    /// All rows of a list, page by page.
    private static func rows(
        _ limit: Int?, _ target: String, _ get: (String) async throws -> (status: Int, bytes: [UInt8])
    ) async throws -> [String] {
        var (rows, cursor): ([String], String?) = ([], nil)
        repeat {
            var page = target
            for item in [limit.map { "limit=\($0)" }, cursor.map { "cursor=\($0)" }].compactMap({ $0 }) {
                page += (page.contains("?") ? "&" : "?") + item
            }
            let reply = try await get(page)
            #expect(reply.status == 200, "\(page): \(String(decoding: reply.bytes, as: UTF8.self))")
            let read = try #require(PartitionPage(reply.bytes), "\(page)")
            rows += read.rows.map { String(decoding: $0.bytes, as: UTF8.self) }
            cursor = read.root["nextCursor"]?.string
        } while cursor != nil
        return rows
    }

    @Test("Lists have the same rows in the same order", .timeLimit(.minutes(3))) func lists() async throws {
        try await Self.withHistory { cluster in
            func compare(_ target: String, limits: [Int?], least: Int) async throws {
                let alone = try await Self.rows(nil, target) { path in
                    let reply = try await cluster.single.get(path)
                    return (reply.status, reply.body)
                }
                #expect(alone.count >= least, "\(target)")
                for limit in limits {
                    let merged = try await Self.rows(limit, target) { path in
                        let answer = try await cluster.get(path)
                        return (Int(answer.status.code), answer.bytes)
                    }
                    #expect(merged == alone, "\(target) \(String(describing: limit))")
                }
            }
            let limits: [Int?] = SeedShare.of([1, 2, 3, 7, 50, 500, nil])
            for target in [
                "/v1/events", "/v1/events?type=region.*&explain=true", "/v1/visits", "/v1/quarantine",
                "/v1/events?order=desc", "/v1/visits?order=desc", "/v1/locations?deviceId=*a*",
                "/v1/locations?deviceId=*a*&order=desc", "/v1/events?name=1.5&type=region.*",
            ] {
                try await compare(target, limits: limits, least: 12)
            }
            try await compare("/v1/events?from=2026-02-27T00:00:00Z&history=all", limits: [3], least: 10)
            try await compare("/v1/visits?regionId=office&addresses=true", limits: [3], least: 10)
            try await compare("/v1/devices", limits: limits, least: 8)
            try await compare("/v1/regions/office/devices", limits: [2, nil], least: 0)
            try await compare("/v1/profiles", limits: [nil], least: 8)
            try await compare("/v1/reports", limits: [nil, 2], least: 8)
            for (target, least) in [
                ("/v1/events?deviceId=*a*&order=desc", 8), ("/v1/events?group=some", 4), ("/v1/events?tag=work", 8),
                ("/v1/visits?name=CLEO", 1), ("/v1/visits?tag=indoors&order=desc", 8), ("/v1/devices?name=a", 3),
                ("/v1/devices?deviceId=?e*", 1), ("/v1/devices?group=some", 3),
                ("/v1/devices?tag=none", 0), ("/v1/reports?deviceId=*n*", 3), ("/v1/quarantine?deviceId=*n", 2),
            ] {
                try await compare(target, limits: [2, nil], least: least)
            }
            try await Self.compareDecisions(cluster)
            for path in [
                "/v1/events?limit=0", "/v1/events?limit=x", "/v1/events?cursor=", "/v1/events?cursor=%00",
                "/v1/devices?cursor=zz", "/v1/events?nothing=1", "/v1/quarantine?from=x", "/v1/locations",
                "/v1/timeline", "/v1/summaries?by=x", "/v1/trips?format=x", "/v1/visits?format=x",
                "/v1/visits?format=csv&limit=3", "/v1/visits?format=xlsx&from=2000-01-01T00:00:00Z",
                "/v1/visits?timeZone=Asia/Tokyo",
                "/v1/events?order=x", "/v1/locations?deviceId=*&order=x", "/v1/timeline?deviceId=*",
                "/v1/events?group=x",
                "/v1/locations?deviceId=*&cursor=zz", "/v1/trips?order=up", "/v1/summaries?tag=work",
                "/v1/events?cursor=\(Cursor.encode("m1.1"))x",
                "/v1/events/none", "/v1/deliveries/none", "/v1/imports/none", "/v1/regions/none/devices",
                "/v1/devices?changedSince=x&regionId=office", "/v1/stream?lastEventId=x", "/v1/shared",
            ] {
                let (answer, reply) = (try await cluster.get(path), try await cluster.single.get(path))
                #expect(Int(answer.status.code) == reply.status, "\(path)")
                let problem = String(decoding: answer.bytes, as: UTF8.self)
                #expect(problem == reply.text, "\(path)")
            }
            for path in ["/v1/events", "/v1/devices", "/v1/trips", "/v1/summaries", "/v1/profiles", "/v1/stream"] {
                #expect(try await cluster.get(path, token: "fp_unknown").status == .unauthorized, "\(path)")
            }
            let head = try #require(try await cluster.response(to: cluster.request(.head, "/v1/events?limit=3")))
            let page = try await cluster.get("/v1/events?limit=3")
            #expect(head.status == .ok && head.body.contentLength == 0)
            #expect(head.headers[.contentLength] == String(page.bytes.count))
            let named = cluster.request(.get, "/v1/events", headers: [.requestID: "mine"])
            #expect(try await cluster.response(to: named)?.headers[.requestID] == "mine")
            for path in ["/v1/events?deviceId=ben", "/v1/devices/ben", "/v1/regions", "/v1/groups", "/healthz"] {
                #expect(try await cluster.response(to: cluster.request(.get, path)) == nil, "\(path)")
            }
        }
    }

    /// Decisions about different devices have no order of their own: a single server has them as they came.
    private static func compareDecisions(_ cluster: PartitionServers) async throws {
        let target = "/v1/apps/courier/decisions"
        let alone = try await rows(nil, target) { path in
            let reply = try await cluster.single.get(path)
            return (reply.status, reply.body)
        }
        #expect(alone.count >= 16)
        for limit in [1, 7, 50] {
            let merged = try await rows(limit, target) { path in
                let answer = try await cluster.get(path)
                return (Int(answer.status.code), answer.bytes)
            }
            for device in devices {
                let own = alone.filter { $0.contains("\"deviceId\":\"\(device)\"") }
                #expect(!own.isEmpty && merged.filter { $0.contains("\"deviceId\":\"\(device)\"") } == own)
            }
            #expect(merged.count == alone.count)
        }
    }

    @Test("Trips, visits and summaries are the same in each format", .timeLimit(.minutes(3)))
    func figures() async throws {
        try await Self.withHistory { cluster in
            var paths = ["json", "csv", "geojson"].map { "/v1/trips?format=\($0)" } + ["/v1/trips"]
            paths += [
                "/v1/trips?order=desc", "/v1/trips?order=desc&format=csv", "/v1/trips?deviceId=*a*",
                "/v1/trips?format=xlsx&units=imperial&timeZone=Asia/Tokyo", "/v1/summaries?format=xlsx&units=imperial",
                "/v1/trips?group=some", "/v1/visits?format=csv", "/v1/visits?format=csv&order=desc&deviceId=*a*",
                "/v1/visits?format=csv&group=some&to=2026-02-28T00:00:00Z", "/v1/visits?format=csv&tag=work",
                "/v1/visits?format=xlsx", "/v1/visits?format=xlsx&order=desc&timeZone=Asia/Tokyo",
                "/v1/trips?tag=work", "/v1/summaries?by=region&tag=work", "/v1/summaries?by=tag&tag=indoors&group=some",
                "/v1/summaries?deviceId=*n*", "/v1/summaries?name=HANS",
            ]
            for grouping in ["device", "region", "tag", "group"] {
                for period in ["day", "week"] {
                    for format in ["json", "csv", "xlsx"] {
                        paths.append("/v1/summaries?by=\(grouping)&period=\(period)&format=\(format)")
                    }
                }
            }
            paths += ["/v1/summaries", "/v1/summaries?from=2026-02-27T00:00:00Z&timeZone=Asia/Tokyo"]
            for path in paths {
                let (answer, reply) = (try await cluster.get(path), try await cluster.single.get(path))
                #expect(answer.status == .ok && reply.status == 200, "\(path)")
                #expect(answer.bytes == reply.body, "\(path)")
                for name in ["content-type", "content-disposition", "cache-control"] {
                    #expect(HTTPField.Name(name).flatMap { answer.headers[$0] } == reply[name], "\(path) \(name)")
                }
            }
            #expect(try await cluster.get("/v1/trips").json?["data"]?.count ?? 0 >= 8)
            let visits = String(decoding: try await cluster.get("/v1/visits?format=csv").bytes, as: UTF8.self)
            #expect(Self.devices.allSatisfy { visits.contains(",\($0),") })
            #expect(try await cluster.get("/v1/summaries?by=region").json?["data"]?.count ?? 0 >= 3)
            #expect(try await cluster.get("/v1/summaries?by=tag").json?["data"]?.count ?? 0 >= 6)
        }
    }

    @Test("Changes of devices have one version for all partitions") func changes() async throws {
        try await Self.withHistory { cluster in
            let all = try await cluster.get("/v1/devices?changedSince=start&limit=3")
            let version = try #require(all.json?["version"]?.string)
            #expect(version.split(separator: "-").count == 3 && all.json?["data"]?.count == 3)
            let cursor = try #require(all.json?["nextCursor"]?.string)
            let second = try await cluster.get("/v1/devices?changedSince=start&limit=30&cursor=\(cursor)")
            #expect(second.json?["data"]?.count == 5 && second.json?["nextCursor"]?.isNull == true)
            #expect(try await cluster.get("/v1/devices?changedSince=\(version)").json?["data"]?.count == 0)
            try await cluster.send([TestServer.location("dora", 60, 50, 10)])
            let changed = try await cluster.get("/v1/devices?changedSince=\(version)")
            #expect(changed.json?["data"]?.array?.map { $0["id"]?.string } == ["dora"])
            #expect(changed.json?["version"]?.string != version)
            for other in ["x", "1.1", "1.1-2.2", version + "-x.1", "--"] {
                #expect(try await cluster.get("/v1/devices?changedSince=\(other)").json?["data"]?.count == 8)
            }
        }
    }

    @Test("What one partition has is found, and shares are added up") func sharesAndSums() async throws {
        try await Self.withHistory { cluster in
            let events = try await cluster.get("/v1/events?type=region.*&limit=500").json?["data"]?.array ?? nil
            for event in Array(try #require(events)).prefix(6) {
                let id = try #require(event["id"]?.string)
                let answer = try await cluster.get("/v1/events/\(id)")
                #expect(answer.bytes == (try await cluster.single.get("/v1/events/\(id)")).body)
            }
            try await cluster.change(.PUT, "/v1/endpoints/ops", #"{"url":"https://e.org"}"#)
            let since = #"{"since":"2026-02-20T00:00:00Z"}"#
            let recovered = try await cluster.answer(.post, "/v1/endpoints/ops/recover", body: since)
            let alone = try await cluster.single.post("/v1/endpoints/ops/recover", since)
            #expect(recovered.bytes == alone.body && (recovered.json?["queued"]?.int ?? 0) > 8)
            var (found, ids): (Int, Set<String>) = (0, [])
            for row in try await Self.rows(
                3, "/v1/deliveries",
                { path in
                    let answer = try await cluster.get(path)
                    return (Int(answer.status.code), answer.bytes)
                })
            {
                found += 1
                ids.insert(try #require(try JSONDocument(parsing: row).root["id"]?.string))
            }
            #expect(found == recovered.json?["queued"]?.int && ids.count == found)
            let delivery = try #require(ids.first)
            #expect(try await cluster.get("/v1/deliveries/\(delivery)").json?["id"]?.string == delivery)
            #expect(try await cluster.answer(.post, "/v1/deliveries/\(delivery)/retry").status == .accepted)
            let released = try await cluster.answer(.post, "/v1/quarantine/release")
            #expect(released.bytes == (try await cluster.single.post("/v1/quarantine/release", "")).body)
            let health = try await cluster.get("/v1/endpoints/ops/health")
            #expect(health.bytes == (try await cluster.single.get("/v1/endpoints/ops/health")).body)
            #expect(try await cluster.get("/v1/endpoints/none/health").status == .notFound)
            try await endpoint(cluster)
            try await tokens(cluster)
        }
    }

    /// A token was used last when a sender used it in any partition.
    private func tokens(_ cluster: PartitionServers) async throws {
        let stored = PartitionServers.issue("van", [.ingest]).1
        let id = stored.id
        for server in cluster.servers.values { try await server.store.save(stored) }
        let times: [ClusterPartition: Int] = [.configuration: 3, .partition(0): 5, .partition(1): 60, .partition(2): 7]
        for (part, seconds) in times {
            try await cluster.servers[part]?.store.noteUse([id: TestServer.now + .seconds(seconds)])
        }
        let newest = (TestServer.now + .seconds(60)).rfc3339
        #expect(try await cluster.get("/v1/tokens/\(id)").json?["lastUsed"]?.string == newest)
        let list = try await cluster.get("/v1/tokens").json?["data"]?.array
        #expect(list?.first { $0["id"]?.string == id }?["lastUsed"]?.string == newest)
        #expect(list?.map { $0["id"]?.string }.count == Set(list?.map { $0["id"]?.string } ?? []).count)
        #expect(try await cluster.get("/v1/tokens/none").status == .notFound)
    }

    /// A partition that disables its copy of an endpoint shows.
    private func endpoint(_ cluster: PartitionServers) async throws {
        let configuration = try #require(cluster.servers[.configuration])
        let tag = try #require(try await configuration.get("/v1/endpoints/ops")["ETag"])
        let same = try await cluster.answer(.get, "/v1/endpoints/ops", headers: [.ifNoneMatch: tag])
        #expect(same.status == .notModified)
        #expect(try await cluster.get("/v1/endpoints/ops").json?["state"]?.string == "active")
        let partition = try #require(cluster.servers[.partition(1)])
        let disabled = try await partition.send(
            .PATCH, "/v1/endpoints/ops", body: Array(#"{"state":"disabled"}"#.utf8), type: "application/json")
        #expect(disabled.status == 200)
        let shown = try await cluster.answer(.get, "/v1/endpoints/ops", headers: [.ifNoneMatch: tag])
        #expect(shown.json?["state"]?.string == "disabled" && shown.headers[.eTag] == tag)
        let list = try await cluster.get("/v1/endpoints")
        #expect(list.json?["data"]?.array?.map { $0["state"]?.string } == ["disabled"])
    }

    @Test("The messages of a report, which the configuration has, are among those of the partitions")
    func reports() async throws {
        try await Self.withHistory { cluster in
            let endpoint =
                #"{"id":"ops-report","kind":"ntfy","url":"https://192.0.2.1/report","events":["device.stale"]}"#
            try await cluster.change(.POST, "/v1/endpoints", endpoint)
            // Messages of partitions too.
            try await cluster.change(.PUT, "/v1/endpoints/ops", #"{"url":"https://e.org"}"#)
            let since = #"{"since":"2026-02-20T00:00:00Z"}"#
            #expect(try await cluster.answer(.post, "/v1/endpoints/ops/recover", body: since).status.code < 300)
            let configuration = try #require(cluster.servers[.configuration])
            let schedule = #"{"id":"daily","name":"Vans","frequency":"daily","endpoints":["ops-report"]}"#
            #expect(try await configuration.post("/v1/report-schedules", schedule).status == 201)
            let sent = try await configuration.post("/v1/report-schedules/daily/send", "").json
            let event = try #require(sent["eventId"]?.string)
            let all = try await cluster.get("/v1/deliveries?limit=500").json?["data"]?.array.map(Array.init) ?? []
            let own = all.filter { $0["eventId"]?.string == event }
            let delivery = try #require(own.first?["id"]?.string)
            #expect(own.count == 1 && own[0]["eventType"]?.string == "report.ready" && all.count > 1)
            #expect(try await cluster.get("/v1/deliveries?eventId=\(event)").json?["data"]?.count == 1)
            #expect(try await cluster.get("/v1/deliveries/\(delivery)").json?["endpointId"]?.string == "ops-report")
            #expect(try await cluster.answer(.post, "/v1/deliveries/\(delivery)/retry").status == .accepted)
            #expect(try await cluster.get("/v1/events/\(event)").json?["type"]?.string == "report.ready")
            let events = try await cluster.get("/v1/events?type=report.ready").json?["data"]
            #expect(events?.array?.map { $0["id"]?.string } == [event])
            // One page after the other, each once.
            var (ids, cursor): ([String], String?) = ([], nil)
            repeat {
                let page = try await cluster.get("/v1/deliveries?limit=2" + (cursor.map { "&cursor=\($0)" } ?? "")).json
                ids += page?["data"]?.array?.compactMap { $0["id"]?.string } ?? []
                cursor = page?["nextCursor"]?.string
            } while cursor != nil
            #expect(Set(ids).count == ids.count && ids.count == all.count)
        }
    }

    @Test("A bound token sees its device, a share link its devices, and a place becomes a region")
    func oneDevice() async throws {
        try await Self.withHistory { cluster in
            for device in ["anna/phone", "ben", "dora"] {
                let (text, stored) = PartitionServers.issue(device, [.read], device: DeviceID(device))
                for server in cluster.all { try await server.store.save(stored) }
                for path in [
                    "/v1/locations?limit=5", "/v1/timeline", "/v1/places", "/v1/trips", "/v1/events",
                    "/v1/devices", "/v1/summaries", "/v1/visits", "/v1/quarantine",
                ] {
                    let answer = try await cluster.get(path, token: text)
                    let reply = try await cluster.single.get(path, token: text)
                    #expect(answer.status == .ok && reply.status == 200, "\(path)")
                    // Their cursors have another form.
                    let merged = PartitionPage(answer.bytes)?.rows.map(\.bytes) ?? [answer.bytes[...]]
                    #expect(merged == (PartitionPage(reply.body)?.rows.map(\.bytes) ?? [reply.body[...]]), "\(path)")
                    #expect(answer.headers[FanOutMark.device] == nil)
                }
            }
            let refused = try await cluster.get("/v1/places")
            #expect(refused.status == .notImplemented && refused.json?["code"]?.string == "device_needed")
            #expect(try await cluster.get("/v1/places", token: "fp_no").status == .unauthorized)
            try await share(cluster)
            try await suggestion(cluster)
        }
    }

    private func share(_ cluster: PartitionServers) async throws {
        var generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
        let secret = TokenText.make(SessionAuthenticator.sharePrefix, using: &generator)
        let share = Share(
            id: "shr_1", name: "\"devices\":[", hash: TokenText.hash(secret),
            devices: ["dora", "ben", "anna/phone", "nobody"].map { DeviceID($0) },
            expires: TestServer.now + .seconds(86_400), createdAt: TestServer.now, ownerID: "tok_all")
        for server in cluster.all { #expect(try await server.store.add(share)) }
        let shown = try await cluster.get("/v1/shared", token: secret)
        #expect(shown.status == .ok)
        #expect(shown.bytes == (try await cluster.single.get("/v1/shared", token: secret)).body)
        #expect(shown.json?["devices"]?.array?.map { $0["latitude"] != nil } == [true, true, true, false])
    }

    private func suggestion(_ cluster: PartitionServers) async throws {
        let device = try #require(cluster.servers[cluster.partitions.part(of: DeviceID("ben"))])
        let suggestions = try await device.get("/v1/places?deviceId=ben").json["data"]?.array?.map { $0["id"]?.string }
        let id = try #require(suggestions?.first ?? nil)
        #expect(try await cluster.answer(.post, "/v1/places/\(id)/region", body: "{}").status == .notImplemented)
        let path = "/v1/places/\(id)/region?deviceId=ben"
        let body = #"{"name":"Meadow","radius":120}"#
        let made = try await cluster.answer(.post, path, body: body)
        let alone = try await cluster.single.post(path, body)
        #expect(made.status == .created && alone.status == 201)
        #expect(made.bytes == alone.body && made.headers[.location] == alone["Location"])
        #expect(made.headers[.eTag] == alone["ETag"])
        let configuration = try #require(cluster.servers[.configuration])
        #expect(try await configuration.get("/v1/regions/\(id)").status == 200)
        #expect(try await device.get("/v1/regions/\(id)").status == 404)
        let again = try await cluster.answer(.post, path, body: body)
        #expect(again.status == .conflict && again.json?["code"]?.string == "region_exists")
    }
}
