import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostServiceTesting
import FencepostTesting
import NIOCore
import NIOHTTP1
import Testing

@Suite("The event stream") struct StreamTests {
    private static func request(_ server: TestServer, _ query: String = "", _ headers: String = "") -> String {
        "GET /v1/stream\(query) HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(server.token)\r\n\(headers)\r\n"
    }

    @Test("sends new events, and continues after an id", .timeLimit(.minutes(1))) func follows()
        async throws
    {
        try await TestServer.run { server in
            try await server.walkIn("early")
            let ids = Ids()
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(Self.request(server))
                let head = try await inbound.read(until: "retry: 3000")
                #expect(
                    head.contains("text/event-stream") && head.contains("no-store")
                        && head.contains("x-accel-buffering: no") || head.contains("X-Accel-Buffering: no"))
                try await server.walkIn("late")
                let event = try await inbound.read(until: "\"deviceId\":\"late\"")
                #expect(event.contains("event: region.entered\n") && !event.contains("early"))
                let id = try #require(event.firstMatch(of: /id: ([0-9]+)\n/)?.1)
                await ids.set(String(id))
                // The data is one line.
                let data = try #require(event.split(separator: "\n").first { $0.hasPrefix("data: ") })
                #expect(try JSONDocument(parsing: String(data.dropFirst(6))).root["type"]?.string == "region.entered")
            }
            let last = await ids.value
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(Self.request(server, "?lastEventId=\((Int(last) ?? 0) - 1)"))
                let event = try await inbound.read(until: "\"deviceId\":\"late\"")
                #expect(event.contains("id: \(last)\n") && !event.contains("gap"))
            }
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(Self.request(server, "?deviceId=early&type=region.*", "last-event-id: 0\r\n"))
                let event = try await inbound.read(until: "\"deviceId\":\"early\"")
                #expect(!event.contains("late"))
            }
        }
    }

    private actor Ids {
        var value = ""
        func set(_ id: String) { value = id }
    }

    @Test("has the events of a group and a tag, also after they change", .timeLimit(.minutes(1)))
    func choice() async throws {
        try await TestServer.run { server in
            let yard = TestServer.office.replacing("\"office\"", with: "\"yard\"")
                .replacing(#""colour":"red""#, with: #""tags":["work"]"#)
            #expect(try await server.put("/v1/regions/yard", yard).status == 201)
            @Sendable func group(_ devices: String) async throws {
                let path = "/v1/groups/vans"
                #expect(try await server.put(path, #"{"devices":["\#(devices)"]}"#).status == 200)
            }
            #expect(try await server.get("/v1/stream?group=vans").status == 404)
            try await group("van-*")
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(Self.request(server, "?group=vans&type=region.entered"))
                _ = try await inbound.read(until: "retry: 3000")
                for device in ["car-2", "van-2"] { try await server.walkIn(device) }
                let event = try await inbound.read(until: #""deviceId":"van-2""#)
                #expect(!event.contains("car-2"))
                try await group("*-22")
                server.time.advance(by: .seconds(16))
                for device in ["van-23", "bus-22"] { try await server.walkIn(device) }
                #expect(!(try await inbound.read(until: #""deviceId":"bus-22""#)).contains("van-23"))
            }
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(Self.request(server, "?tag=work&lastEventId=0"))
                #expect(try await inbound.read(until: "van-2").contains("region.entered"))
                // A region that gets the tag later.
                let hall = yard.replacing("\"yard\"", with: "\"hall\"")
                #expect(try await server.put("/v1/regions/hall", hall).status == 201)
                try await server.walkIn("late-1")
                _ = try await inbound.read(until: #""id":"hall""#)
            }
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(Self.request(server, "?tag=home&lastEventId=0"))
                _ = try await inbound.read(until: "retry: 3000")
                let beat = Task {
                    while !Task.isCancelled {
                        server.time.advance(by: .seconds(15))
                        await Task.yield()
                    }
                }
                #expect(!(try await inbound.read(until: ": hb")).contains("region.entered"))
                beat.cancel()
            }
        }
    }

    @Test("reports gaps and sends heartbeats", .timeLimit(.minutes(1))) func gapAndHeartbeat() async throws {
        try await TestServer.run { server in
            try await server.walkIn("a")
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(Self.request(server, "?lastEventId=4000"))
                let gap = try await inbound.read(until: "\"oldest\"")
                #expect(gap.contains("event: gap\ndata: {\"oldest\":"))
            }
            try await RawConnection.open(server.port) { inbound, outbound in
                try await outbound.write(Self.request(server))
                _ = try await inbound.read(until: "retry: 3000")
                // The stream sleeps some time after its last text. Before that, virtual time does not reach it.
                let beat = Task {
                    while !Task.isCancelled {
                        server.time.advance(by: .seconds(15))
                        await Task.yield()
                    }
                }
                let comment = try await inbound.read(until: ": hb\n\n")
                beat.cancel()
                #expect(comment.contains(": hb\n\n"))
            }
        }
    }

    @Test("accepts a ticket once, within a minute") func tickets() async throws {
        try await TestServer.run { server in
            let ticket = try await server.post("/v1/stream/tickets", "").json["ticket"]?.string ?? ""
            for isFirst in [true, false] {
                try await RawConnection.open(server.port) { inbound, outbound in
                    try await outbound.write("GET /v1/stream?ticket=\(ticket) HTTP/1.1\r\nhost: x\r\n\r\n")
                    let answer = try await inbound.read(until: isFirst ? "retry: 3000" : "unauthorized")
                    #expect(answer.hasPrefix(isFirst ? "HTTP/1.1 200" : "HTTP/1.1 401"))
                }
            }
            let old = try await server.post("/v1/stream/tickets", "").json["ticket"]?.string ?? ""
            server.time.advance(by: .seconds(61))
            #expect(try await server.get("/v1/stream?ticket=\(old)", token: .some(nil)).status == 401)
            #expect(try await server.get("/v1/stream?token=\(server.token)", token: .some(nil)).status == 401)
            let writer = try await server.issue(["write"])
            #expect(try await server.get("/v1/stream", token: writer).status == 403)
            #expect(try await server.get("/v1/stream?lastEventId=x").status == 400)
        }
    }

    @Test("ends when the service stops", .timeLimit(.minutes(1))) func stops() async throws {
        let ended = Ids()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let (opened, source) = AsyncStream.makeStream(of: Void.self)
            let (ports, portSource) = AsyncStream.makeStream(of: (Int, String).self)
            group.addTask {
                try await TestServer.run { server in
                    portSource.yield((server.port, server.token))
                    for await _ in opened { break }
                }
            }
            group.addTask {
                for await (port, token) in ports {
                    try await RawConnection.open(port) { inbound, outbound in
                        try await outbound.write(
                            "GET /v1/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer \(token)\r\n\r\n")
                        _ = try await inbound.read(until: "retry: 3000")
                        source.yield()
                        _ = try await inbound.readToEnd()
                        await ended.set("ended")
                    }
                    break
                }
            }
            try await group.waitForAll()
        }
        #expect(await ended.value == "ended")
    }
}
