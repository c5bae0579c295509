import FencepostJSON
import FencepostModel
import FencepostServer
import FencepostService
import NIOHTTP1
import Testing

@Suite("Ingest over HTTP") struct IngestTests {
    @Test("from OwnTracks responds with an empty array, and quarantines invalid values") func ownTracks() async throws {
        try await TestServer.run { server in
            let good = #"{"_type":"location","lat":48.85833,"lon":2.29513,"tst":1772352000,"acc":12,"vel":36}"#
            let headers = [("X-Limit-U", "Jane"), ("X-Limit-D", "Phone")]
            let reply = try await server.post("/ingest/owntracks", good, headers: headers)
            #expect(reply.status == 200 && reply.text == "[]")
            let stored = try await server.get("/v1/locations?deviceId=jane%2Fphone").json["data"]?[0]
            #expect(stored?["speed"]?.double == 10)
            #expect(stored?["source"]?.string == "owntracks")
            // The query or the topic contains the device too.
            _ = try await server.post("/pub?u=BOB&d=x", good)
            #expect(try await server.get("/v1/devices/bob%2Fx").status == 200)
            // Phones without a user name their devices alone; a topic says more, and a bound token names its own.
            for (phone, topic) in [("998", ""), ("999", ""), ("Z", #","topic":"owntracks/ann/tab""#)] {
                let body = good.dropLast() + topic + "}"
                #expect(try await server.post("/pub", String(body), headers: [("X-Limit-D", phone)]).status == 200)
            }
            let bound = try await server.issue(["ingest"], device: "bob/x")
            let later = good.replacing("1772352000", with: "1772352001")
            let own = try await server.post("/pub", later, headers: [("X-Limit-D", "q")], token: bound)
            #expect(own.status == 200)
            for (device, status) in [("998", 200), ("999", 200), ("ann%2Ftab", 200), ("z", 404), ("q", 404)] {
                #expect(try await server.get("/v1/devices/\(device)").status == status, "\(device)")
            }

            let bad = #"{"_type":"location","lat":123,"lon":2.29513,"tst":1772352000}"#
            let refused = try await server.post("/pub?u=jane&d=phone", bad)
            #expect(refused.status == 200 && refused.text == "[]")
            let entry = try await server.get("/v1/quarantine?deviceId=jane/phone").json["data"]?[0]
            #expect(entry?["code"]?.string == "coordinate_out_of_range")
            #expect(entry?["format"]?.string == "owntracks")
            #expect(entry?["index"]?.int == 0)
            let unreadable = try await server.post("/pub", "{")
            #expect(unreadable.status == 400 && unreadable.code == "invalid_json")
            let encrypted = try await server.post(
                "/pub", #"{"_type":"encrypted","data":"\#(String(repeating: "A", count: 80))"}"#)
            #expect(encrypted.status == 422)
            let other = try await server.post("/pub", #"{"_type":"steps","steps":4}"#)
            #expect(other.status == 200 && other.text == "[]")
        }
    }

    @Test("from a bound token imports nothing for another device") func boundImport() async throws {
        try await TestServer.run { server in
            let jane = try await server.issue(["ingest"], device: "jane/phone")
            let track = "timestamp,latitude,longitude\n2026-03-01T08:00:00Z,50.02,10.005\n"
            for (device, status) in [("jane%2Fphone", 200), ("bob", 403), ("%01", 400)] {
                let reply = try await server.post(
                    "/v1/imports?deviceId=\(device)", track, type: "text/csv", token: jane)
                #expect(reply.status == status, "\(device)")
            }
        }
    }

    @Test("accepts JSON with the wrong content types of some apps, and no images") func mislabeledTypes() async throws {
        try await TestServer.run { server in
            let fix = #"{"_type":"location","lat":1,"lon":2,"tst":1772352000}"#
            for type in ["application/octet-stream", "text/plain; charset=utf-8", "application/x-www-form-urlencoded"] {
                let reply = try await server.post("/pub?u=jane&d=phone", fix, type: type)
                #expect(reply.status == 200, "\(type)")
            }
            let picture = try await server.post("/pub?u=jane&d=phone", fix, type: "image/png")
            #expect(picture.status == 415)
            let text = try await server.post("/v1/locations", fix, type: "text/plain")
            #expect(text.status == 415)
        }
    }

    @Test("from a bound OwnTracks device accepts no other device") func boundOwnTracks() async throws {
        try await TestServer.run { server in
            let jane = try await server.issue(["ingest"], device: "jane/phone")
            let fix = #"{"_type":"location","lat":1,"lon":2,"tst":1772352000}"#
            #expect(try await server.post("/pub", fix, token: jane).status == 200)
            #expect(try await server.get("/v1/devices/jane%2Fphone").status == 200)
            #expect(try await server.post("/pub?u=jane&d=phone", fix, token: jane).status == 200)
            #expect(try await server.post("/pub?u=bob&d=phone", fix, token: jane).status == 403)
            let topic = #"{"_type":"location","lat":1,"lon":2,"tst":1772352000,"topic":"owntracks/bob/phone"}"#
            #expect(try await server.post("/pub", topic, token: jane).status == 403)
        }
    }

    @Test("from Overland responds with ok only after storing") func overland() async throws {
        try await TestServer.run { server in
            func feature(_ latitude: String, _ minute: Int) -> String {
                let time = Timestamp(seconds: 1_772_352_000 + Int64(minute) * 60).rfc3339
                return "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[10,\(latitude)]},"
                    + "\"properties\":{\"timestamp\":\"\(time)\",\"device_id\":\"o\",\"speed\":-1}}"
            }
            let body =
                "{\"locations\":[\(feature("50", 0)),\(feature("500", 1)),\(feature("51", 2))],"
                + "\"current\":\(feature("52", 3))}"
            let reply = try await server.post("/ingest/overland", body)
            #expect(reply.status == 200)
            #expect(try reply.json["result"]?.string == "ok")
            #expect(try await server.get("/v1/locations?deviceId=o").json["data"]?.count == 2)
            #expect(try await server.get("/v1/quarantine").json["data"]?[0]?["index"]?.int == 1)
            // The current location is shown, and not stored as a fix.
            let device = try await server.get("/v1/devices/o").json
            #expect(device["lastLocation"]?["latitude"]?.double == 52)
            let bad = try await server.post("/ingest/overland", "{\"locations\":")
            #expect(bad.status == 400 && !bad.text.contains("\"ok\""))
        }
    }

    @Test(
        "from OsmAnd has its own number format and statuses",
        arguments: [
            ("id=x&lat=1&lon=2&timestamp=1772352000&speed=10", 200, 1), ("lat=1&lon=2", 400, 0),
            ("id=x&lat=nan&lon=2", 400, 0), ("id=x&lat=inf&lon=2", 400, 0), ("id=x&lat=0x10&lon=2", 400, 0),
            ("id=x", 200, 0), ("deviceid=x&location=1,2", 200, 1), ("id=x&lat=91&lon=2", 400, 0),
        ])
    func osmAnd(query: String, status: Int, stored: Int) async throws {
        try await TestServer.run { server in
            let reply = try await server.get("/ingest/osmand?\(query)")
            #expect(reply.status == status)
            #expect(status != 200 || reply.body.isEmpty)
            let found = try await server.get("/v1/locations?deviceId=x").json["data"]
            #expect(found?.count == stored)
            if query.contains("speed=10") {
                #expect(abs((found?[0]?["speed"]?.double ?? 0) - 5.14444) < 0.001)
            }
        }
    }

    @Test("from OsmAnd and GPSLogger accepts forms and JSON, and OsmAnd's own port") func forms() async throws {
        try await TestServer.run({ $0.settings.osmandPort = 0 }) { server in
            let form = "id=f&lat=1&lon=2&timestamp=1772352000"
            for path in ["/ingest/osmand", "/ingest/gpslogger"] {
                let reply = try await server.post(path, form, type: "application/x-www-form-urlencoded")
                #expect(reply.status == 200)
            }
            let json =
                #"{"device_id":"j","location":{"timestamp":"2026-03-01T08:30:00Z","coords":{"latitude":3,"#
                + #""longitude":4,"speed":2}}}"#
            #expect(try await server.post("/ingest/osmand", json).status == 200)
            #expect(try await server.get("/v1/locations?deviceId=j").json["data"]?[0]?["speed"]?.double == 2)
            let gps = #"{"_type":"location","lat":1,"lon":2,"tst":1772352000,"vel":3,"id":"g"}"#
            #expect(try await server.post("/ingest/gpslogger", gps).status == 200)
            #expect(try await server.get("/v1/locations?deviceId=g").json["data"]?[0]?["speed"]?.double == 3)
            let port = try #require(server.osmandPort)
            let reply = try await server.send(
                .GET, "/?id=own&lat=1&lon=2&token=\(server.token)", token: .some(nil), port: port)
            #expect(reply.status == 200)
            #expect(try await server.get("/v1/devices/own").status == 200)
        }
    }

    @Test("of Fencepost's format in which nothing is valid is refused, with the same report")
    func allRejected() async throws {
        try await TestServer.run { server in
            let bad = #"{"deviceId":"a","timestamp":"2026-03-01T08:00:00Z","latitude":91,"longitude":1}"#
            for (index, (body, type)) in [
                (bad, "application/json"), ("[\(bad)]", "application/json"),
                ("{\"locations\":[\(bad)]}", "application/json"), (bad, "application/x-ndjson"),
                (
                    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,91]},"properties":{"deviceId":"a","#
                        + #""time":"2026-03-01T08:00:00Z"}}"#, "application/geo+json"
                ),
            ].enumerated() {
                let reply = try await server.post("/v1/locations", body, type: type)
                #expect(reply.status == 422 && reply.code == "all_rejected", "\(type): \(reply.text)")
                #expect(reply["Content-Type"] == "application/problem+json")
                let json = try reply.json
                #expect(json["accepted"]?.int == 0 && json["duplicates"]?.int == 0)
                #expect(json["rejected"]?[0]?["code"]?.string == "coordinate_out_of_range")
                #expect(json["rejected"]?[0]?["index"]?.int == 0)
                // They are kept nevertheless, for the operator to see.
                #expect(try await server.get("/v1/quarantine").json["data"]?.count == index + 1)
            }
            // One valid location, also a known one, or no record at all.
            let good = TestServer.location("a", 1, 1, 2)
            for body in ["[\(good),\(bad)]", "[\(good),\(bad)]", "[]", "{\"locations\":[]}"] {
                #expect(try await server.post("/v1/locations", body).status == 200, "\(body)")
            }
        }
    }

    @Test("of Fencepost's format reports each rejected location") func native() async throws {
        try await TestServer.run { server in
            let good = TestServer.location("a", 0, 1, 2)
            let body =
                "{\"locations\":[\(good),{\"deviceId\":\"a\"},\(good),{\"deviceId\":\"a\","
                + "\"timestamp\":\"1999-01-01T00:00:00Z\",\"latitude\":1,\"longitude\":1}]}"
            let reply = try await server.post("/v1/locations", body).json
            #expect(reply["accepted"]?.int == 1)
            #expect(reply["duplicates"]?.int == 1)
            #expect(reply["rejected"]?.array?.map { $0["index"]?.int } == [1, 3])
            #expect(reply["rejected"]?[0]?["code"]?.string == "missing_coordinate")
            #expect(reply["rejected"]?[1]?["code"]?.string == "timestamp_out_of_range")

            let lines = (1...3).map { TestServer.location("a", $0, 1, 2) }.joined(separator: "\n")
            let ndjson = try await server.post("/v1/locations", lines, type: "application/x-ndjson").json
            #expect(ndjson["accepted"]?.int == 3)
            let feature =
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[2,1]},"#
                + #""properties":{"deviceId":"g","time":"2026-03-01T08:00:00Z"}}"#
            let geojson = try await server.post("/v1/locations", feature, type: "application/geo+json").json
            #expect(geojson["accepted"]?.int == 1)
            // A late location is stored and marked.
            let late = "{\"locations\":[\(TestServer.location("a", -5, 1, 2))]}"
            #expect(try await server.post("/v1/locations", late).json["accepted"]?.int == 1)
            let stored = try await server.get("/v1/locations?deviceId=a").json["data"]
            #expect(stored?[0]?["late"]?.bool == true)
            #expect(stored?[1]?["late"] == nil)
            #expect(try await server.post("/v1/locations", "x", type: "text/csv").status == 415)
            let many = Array(repeating: "{}", count: 10_001).joined(separator: ",")
            let tooMany = try await server.post("/v1/locations", "{\"locations\":[\(many)]}")
            #expect(tooMany.status == 422 && tooMany.code == "too_many_locations")
        }
    }

    @Test("of a history file is atomic and idempotent") func imports() async throws {
        try await TestServer.run { server in
            func gpx(_ end: String) -> String {
                "<gpx version=\"1.1\"><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><time>2026-03-01T08:00:00Z</time></trkpt>"
                    + "<trkpt lat=\"1\" lon=\"200\"><time>2026-03-01T08:01:00Z</time></trkpt>\(end)"
            }
            let whole = gpx("</trkseg></trk></gpx>")
            let dry = try await server.post("/v1/imports?dryRun=true&file=walk.gpx", whole, type: "application/gpx+xml")
                .json
            #expect(dry["stored"]?.int == 1)
            #expect(try await server.get("/v1/locations?deviceId=default").json["data"]?.count == 0)
            let first = try await server.post("/v1/imports?file=walk.gpx", whole, type: "application/gpx+xml").json
            #expect(first["file"]?.string == "walk.gpx" && first["format"]?.string == "gpx")
            #expect(first["stored"]?.int == 1 && first["duplicates"]?.int == 0)
            #expect(first["rejected"]?[0]?["index"]?.int == 1)
            let again = try await server.post("/v1/imports", whole, type: "application/gpx+xml").json
            #expect(again["stored"]?.int == 0 && again["duplicates"]?.int == 1 && again["file"]?.isNull == true)
            let cut = try await server.post("/v1/imports?deviceId=cut", gpx(""), type: "application/gpx+xml")
            #expect(cut.status == 422)
            #expect(try await server.get("/v1/locations?deviceId=cut").json["data"]?.count == 0)

            let form =
                "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"t.ndjson\"\r\n\r\n"
                + TestServer.location("form", 0, 1, 2) + "\n\r\n--b--\r\n"
            let multipart = try await server.post("/v1/imports", form, type: "multipart/form-data; boundary=b").json
            #expect(multipart["stored"]?.int == 1 && multipart["file"]?.string == "t.ndjson")
            // Of several files one would be stored, and the others lost.
            let several = form.replacing("--b--\r\n", with: "") + form
            let refused = try await server.post("/v1/imports", several, type: "multipart/form-data; boundary=b")
            #expect(try refused.status == 400 && refused.json["code"]?.string == "several_files")
        }
    }

    @Test(
        "answers a body that is neither an object nor an array with 400",
        arguments: [
            "/ingest/owntracks", "/pub", "/ingest/overland", "/ingest/osmand", "/ingest/gpslogger", "/v1/locations",
        ])
    func scalars(path: String) async throws {
        try await TestServer.run { server in
            for body in ["5", "null", "true", "\"text\""] {
                let reply = try await server.post(path, body)
                #expect(reply.status == 400, "\(path): \(body)")
            }
        }
    }
}
