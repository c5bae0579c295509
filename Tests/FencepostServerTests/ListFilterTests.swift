import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostServiceTesting
import NIOHTTP1
import Testing

@Suite("Filters of lists") struct ListFilterTests {
    /// Devices of a group, with names, that were in two regions.
    private static func fill(_ server: TestServer) async throws {
        for device in ["van-1", "van-2", "bike-1", "jane/phone"] { try await server.walkIn(device) }
        let office = TestServer.office.replacing("\"colour\":\"red\"", with: #""tags":["customers","Lisbon"]"#)
        #expect(try await server.put("/v1/regions/office", office).status == 200)
        let far = office.replacing("\"office\"", with: "\"far\"").replacing("[10", with: "[20")
            .replacing("\"name\":\"Office\"", with: "\"name\":\"Far Café\"").replacing("\"customers\",", with: "")
        #expect(try await server.put("/v1/regions/far", far).status == 201)
        let bare = far.replacing("\"far\"", with: "\"bare-1\"").replacing("\"name\":\"Far Café\",", with: "")
        #expect(try await server.put("/v1/regions/bare-1", bare).status == 201)
        #expect(try await server.put("/v1/groups/fleet", #"{"devices":["van-?","bike-1"]}"#).status == 200)
        #expect(try await server.put("/v1/devices/van-2/profile", #"{"name":"Ana's van"}"#).status == 200)
        // A colour is no name.
        #expect(try await server.put("/v1/devices/bike-1/profile", ##"{"color":"#00ff00"}"##).status == 200)
    }

    private static func ids(_ server: TestServer, _ path: String, _ member: String) async throws -> [String] {
        let reply = try await server.get(path)
        #expect(reply.status == 200, "\(path): \(reply.text)")
        return Set(try reply.json["data"]?.array?.compactMap { $0[member]?.string } ?? []).sorted()
    }

    @Test("choose devices by id, pattern, group and name, on every list of them") func devices() async throws {
        try await TestServer.run { server in
            try await Self.fill(server)
            for (filter, expected) in [
                ("deviceId=van-*", ["van-1", "van-2"]), ("deviceId=van-1", ["van-1"]),
                ("deviceId=*", ["bike-1", "jane/phone", "van-1", "van-2"]),
                ("deviceId=x*", []), ("group=fleet", ["bike-1", "van-1", "van-2"]),
                ("group=fleet&deviceId=v*", ["van-1", "van-2"]),
                // One with a name is found by it, and not by its id.
                ("name=VAN", ["van-1", "van-2"]), ("name=ana", ["van-2"]), ("name=van-2", []),
                ("name=bike", ["bike-1"]),
                ("name=a&group=fleet", ["van-1", "van-2"]),
            ] {
                #expect(try await Self.ids(server, "/v1/devices?\(filter)", "id") == expected, "\(filter)")
                #expect(try await Self.ids(server, "/v1/devices?limit=500&\(filter)", "id") == expected, "\(filter)")
                for list in ["/v1/events?type=region.entered", "/v1/summaries?by=device"] {
                    let found = try await Self.ids(server, "\(list)&\(filter)", "deviceId")
                    #expect(found == expected, "\(list) \(filter): \(found)")
                }
                for list in ["/v1/visits", "/v1/trips"] {
                    let found = try await Self.ids(server, "\(list)?\(filter)", "deviceId")
                    #expect(Set(found).isSubset(of: expected), "\(list) \(filter): \(found)")
                }
                if filter.hasPrefix("deviceId="), !filter.contains("&"), !filter.contains("group") {
                    let found = try await Self.ids(server, "/v1/locations?limit=500&\(filter)", "deviceId")
                    #expect(found == expected, "\(filter): \(found)")
                }
            }
            let unknown = try await server.get("/v1/events?group=nothing")
            #expect(unknown.status == 404 && unknown.text.contains("group"))
            #expect(try await server.get("/v1/timeline?deviceId=van-*").status == 400)
            #expect(try await server.get("/v1/devices?changedSince=start&group=fleet").status == 400)
        }
    }

    @Test("choose regions by name and tag, and what is about them") func regions() async throws {
        try await TestServer.run { server in
            try await Self.fill(server)
            #expect(try await Self.ids(server, "/v1/regions?tag=Lisbon", "id") == ["bare-1", "far", "office"])
            #expect(try await Self.ids(server, "/v1/regions?tag=lisbon", "id") == [])
            #expect(try await Self.ids(server, "/v1/regions?name=caf%C3%A9", "id") == ["far"])
            #expect(try await Self.ids(server, "/v1/regions?name=BARE", "id") == ["bare-1"])
            #expect(try await Self.ids(server, "/v1/regions?tag=Lisbon&name=off&limit=1", "id") == ["office"])
            #expect(try await Self.ids(server, "/v1/regions?tag=Lisbon&contains=50.005,10.005", "id") == ["office"])
            for tag in ["customers", "Lisbon"] {
                let events = try await Self.ids(server, "/v1/events?tag=\(tag)", "deviceId")
                #expect(events.count == 4, "\(tag)")
                #expect(try await Self.ids(server, "/v1/devices?tag=\(tag)", "id").count == 4)
                #expect(try await Self.ids(server, "/v1/summaries?by=region&tag=\(tag)", "regionId") == ["office"])
                #expect(try await Self.ids(server, "/v1/summaries?by=tag&tag=\(tag)", "tag") == [tag])
            }
            #expect(try await Self.ids(server, "/v1/events?tag=none", "id") == [])
            #expect(try await Self.ids(server, "/v1/devices?tag=none", "id") == [])
            #expect(try await Self.ids(server, "/v1/trips?tag=none", "deviceId") == [])
            #expect(try await Self.ids(server, "/v1/summaries?by=region&regionId=far", "regionId") == [])
            for path in ["/v1/summaries?tag=Lisbon", "/v1/summaries?by=tag&regionId=far"] {
                #expect(try await server.get(path).status == 400, "\(path)")
            }
        }
    }

    @Test("show nobody what he may not see") func rights() async throws {
        try await TestServer.run { server in
            try await Self.fill(server)
            let member = try await SignedInBrowser.signIn(server, "m", role: "viewer", limits: #","tags":["fleet"]"#)
            let jane = try await SignedInBrowser.signIn(
                server, "j", role: "viewer", limits: #","devices":["jane/*","van-1"]"#)
            let bound = try await server.issue(["read"], device: "van-1")
            for list in [
                "/v1/events?", "/v1/devices?", "/v1/locations?", "/v1/trips?", "/v1/summaries?", "/v1/visits?",
                "/v1/quarantine?", "/v1/reports?",
            ] {
                let name = list == "/v1/devices?" ? "id" : "deviceId"
                for device in try await member.list("\(list)deviceId=*", name) {
                    #expect(device != "jane/phone" && device != nil, "\(list)")
                }
                for device in try await jane.list("\(list)deviceId=*", name) {
                    #expect(device == "jane/phone" || device == "van-1", "\(list)")
                }
                let own = try await server.get("\(list)deviceId=*", token: bound)
                #expect(own.status == 200 && !own.text.contains("van-2") && !own.text.contains("jane"), "\(list)")
                let other = try await server.get("\(list)deviceId=jane*", token: bound)
                #expect(other.status == 200 && !other.text.contains("jane/phone"), "\(list) \(other.text)")
            }
            #expect(try await member.list("/v1/events?group=fleet&type=region.entered", "deviceId").count == 3)
            #expect(try await member.list("/v1/devices?name=jane", "id") == [])
            // Whose limits name no group knows of none.
            #expect(try await jane.get("/v1/events?group=fleet").status == 404)
            #expect(try await server.get("/v1/events?group=fleet", token: bound).status == 200)
            #expect(try await server.get("/v1/devices?group=fleet", token: bound).json["data"]?.count == 1)
            _ = try await server.put("/v1/groups/others", #"{"devices":["jane/*"]}"#)
            // The list of groups has those, and no other device of them.
            #expect(try await Self.ids(server, "/v1/groups", "tag") == ["fleet", "others"])
            #expect(try await member.list("/v1/groups", "tag") == ["fleet"])
            #expect(try await member.get("/v1/groups").json["data"]?[0]?["devices"]?.array?.count == 2)
            #expect(try await jane.list("/v1/groups", "tag") == [])
            let ownGroups = try await server.get("/v1/groups", token: bound)
            let ownList = try ownGroups.json["data"]
            #expect(ownList?.count == 1 && ownList?[0]?["devices"]?.count == 1)
            #expect(!ownGroups.text.contains("van-?"))
            #expect(try await server.get("/v1/events?group=others", token: bound).status == 404)
            #expect(try await member.get("/v1/events?group=others").status == 404)
            // A region without a tag of the user stays hidden.
            #expect(try await member.list("/v1/events?tag=customers", "id") == [])
        }
    }
}
