import FencepostJSON
import FencepostServer
import FencepostTesting
import NIOHTTP1
import Testing

@Suite("Regions over HTTP") struct RegionTests {
    private static func circle(_ id: String, _ longitude: Double = 10, _ latitude: Double = 50, radius: Double = 100)
        -> String
    {
        "{\"type\":\"Feature\",\"id\":\"\(id)\",\"geometry\":{\"type\":\"Point\","
            + "\"coordinates\":[\(longitude),\(latitude)]},"
            + "\"properties\":{\"radius\":\(radius)}}"
    }

    @Test("are added, shown, replaced, changed and removed, with preconditions by tag") func life() async throws {
        try await TestServer.run { server in
            let made = try await server.post("/v1/regions", TestServer.office, type: "application/geo+json")
            #expect(made.status == 201 && made["Location"] == "/v1/regions/office")
            #expect(made["Content-Type"] == "application/geo+json")
            let tag = try #require(made["ETag"])
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
            #expect(try await server.post("/v1/regions", TestServer.office).status == 409)
            let shown = try await server.get("/v1/regions/office")
            #expect(shown["ETag"] == tag && shown.body == made.body)
            #expect(try shown.json["properties"]?["colour"]?.string == "red")
            let same = try await server.get("/v1/regions/office", headers: [("If-None-Match", tag)])
            #expect(same.status == 304 && same.body.isEmpty && same["ETag"] == tag)
            #expect(
                try await server.get("/v1/regions/office", headers: [("If-None-Match", "\"x\", W/\(tag)")]).status
                    == 304)

            let other = Self.circle("office")
            #expect(try await server.put("/v1/regions/office", other, headers: [("If-Match", "\"x\"")]).status == 412)
            #expect(try await server.put("/v1/regions/office", other, headers: [("If-None-Match", "*")]).status == 412)
            #expect(try await server.put("/v1/regions/gone", other, headers: [("If-Match", "*")]).status == 422)
            let replaced = try await server.put("/v1/regions/office", other, headers: [("If-Match", tag)])
            #expect(replaced.status == 200 && replaced["ETag"] != tag)
            #expect(
                try await server.put("/v1/regions/a%2Fb", Self.circle("a/b"), headers: [("If-None-Match", "*")]).status
                    == 201)
            #expect(try await server.get("/v1/regions/a%2Fb").json["id"]?.string == "a/b")
            #expect(try await server.get("/v1/regions/a/b").status == 404)
            let mismatch = try await server.put("/v1/regions/office", Self.circle("other"))
            #expect(mismatch.status == 422 && mismatch.code == "id_mismatch")

            let patched = try await server.send(
                .PATCH, "/v1/regions/office", body: Array(#"{"properties":{"name":"New","radius":250}}"#.utf8),
                type: "application/merge-patch+json")
            #expect(patched.status == 200)
            #expect(try patched.json["properties"]?["radius"]?.double == 250)
            let unnamed = try await server.send(
                .PATCH, "/v1/regions/office", body: Array(#"{"properties":{"name":null}}"#.utf8),
                type: "application/json", headers: [("If-Match", try #require(patched["ETag"]))])
            #expect(try unnamed.json["properties"]?["name"] == nil)
            #expect(try unnamed.json["properties"]?["radius"]?.double == 250)
            #expect(try await server.send(.DELETE, "/v1/regions/office", headers: [("If-Match", tag)]).status == 412)
            #expect(try await server.send(.DELETE, "/v1/regions/office").status == 204)
            #expect(try await server.send(.DELETE, "/v1/regions/office").status == 404)
            #expect(try await server.get("/v1/regions/office").status == 404)
        }
    }

    @Test("that are invalid are rejected with pointers, and repaired on request") func invalid() async throws {
        try await TestServer.run { server in
            let bow =
                #"{"type":"Feature","id":"b","geometry":{"type":"Polygon","coordinates":[[[0,0],[1,1],[1,0],[0,"#
                + #"1],[0,0]]]},"properties":{}}"#
            let refused = try await server.post("/v1/regions", bow)
            #expect(refused.status == 422 && refused["Content-Type"] == "application/problem+json")
            #expect(try refused.json["errors"]?[0]?["pointer"]?.string?.hasPrefix("/geometry/coordinates") == true)
            #expect(try await server.post("/v1/regions?repair=true", bow).status == 201)
            let problem = try await server.post("/v1/regions", "{").json
            #expect(problem["code"]?.string == "invalid_json" && problem["status"]?.int == 400)
            #expect(problem["title"]?.string == "Bad Request" && problem["instance"]?.string == "/v1/regions")
            // One invalid feature rejects all of them.
            let mixed =
                "{\"type\":\"FeatureCollection\",\"features\":[\(Self.circle("good")),\(Self.circle("bad", 0, 95))]}"
            let bulk = try await server.post("/v1/regions", mixed)
            #expect(bulk.status == 422)
            #expect(try bulk.json["errors"]?[0]?["pointer"]?.string?.hasPrefix("/features/1/") == true)
            #expect(try await server.get("/v1/regions/good").status == 404)
            let crs = #"{"type":"FeatureCollection","crs":{},"features":[]}"#
            #expect(try await server.post("/v1/regions", crs).code == "crs_not_supported")
        }
    }

    @Test("can be added in bulk, as a collection and as lines") func bulk() async throws {
        try await TestServer.run { server in
            _ = try await server.post("/v1/regions", Self.circle("r1"))
            let features = (0..<120).map { Self.circle("r\($0)") }
            let collection = "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}"
            let reply = try await server.post("/v1/regions", collection)
            #expect(reply.status == 200)
            #expect(try reply.json["created"]?.int == 119 && reply.json["replaced"]?.int == 1)
            let lines = "\u{1E}" + (100..<130).map { Self.circle("r\($0)") }.joined(separator: "\n\u{1E}") + "\n"
            let second = try await server.post("/v1/regions", lines, type: "application/geo+json-seq").json
            #expect(second["created"]?.int == 10 && second["replaced"]?.int == 20)

            var (path, seen, pages) = (String?.some("/v1/regions?limit=50"), [String](), 0)
            while let next = path {
                let page = try await server.get(next)
                seen += try page.json["data"]?.array?.compactMap { $0["id"]?.string } ?? []
                path = try page.json["nextCursor"]?.string.map { "/v1/regions?limit=50&cursor=\($0)" }
                #expect((page["Link"] == nil) == (path == nil))
                if let path { #expect(page["Link"] == "<\(path)>; rel=\"next\"") }
                pages += 1
            }
            #expect(pages == 3 && seen.count == 130 && seen == seen.sorted())
            let geojson = try await server.get("/v1/regions?limit=2", headers: [("Accept", "application/geo+json")])
            #expect(try geojson.json["type"]?.string == "FeatureCollection" && geojson.json["features"]?.count == 2)
        }
    }

    @Test(
        "are found by position",
        arguments: [
            ("contains=50.005,10.005", ["office"]), ("contains=0,0", []),
            ("near=50.0104,10.005&within=100", ["office"]),
            ("near=50.0104,10.005&within=10", []), ("bbox=9,49,11,51", ["office"]),
            ("bbox=170,-1,-170,1", ["east", "west"]),
            ("bbox=-170,-1,170,1", []), ("contains=0,179.9999", ["east", "west"]),
        ])
    func positions(query: String, ids: [String]) async throws {
        try await TestServer.run { server in
            _ = try await server.post("/v1/regions", TestServer.office)
            _ = try await server.post("/v1/regions", Self.circle("east", 179.9995, 0))
            _ = try await server.post("/v1/regions", Self.circle("west", -179.9995, 0))
            let found = try await server.get("/v1/regions?\(query)").json
            #expect(found["data"]?.array?.map { $0["id"]?.string } == ids)
        }
    }

    @Test(
        "reject invalid parameters",
        arguments: [
            "contains=91,0", "contains=1", "contains=a,b", "near=1,2&within=-1", "bbox=1,2,3", "bbox=0,10,1,5",
            "within=5",
            "contains=1,2&near=1,2", "limit=0", "limit=501", "limit=x", "cursor=%21%21", "nonsense=1", "contains=nan,0",
        ])
    func badQuestions(query: String) async throws {
        try await TestServer.run { server in
            let reply = try await server.get("/v1/regions?\(query)")
            #expect(reply.status == 400)
            #expect(try reply.json["errors"]?[0]?["parameter"]?.string != nil)
        }
    }

    // MARK: Regions of other programs

    private static let kml = """
        <?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>
        <Placemark><name>Depot</name><Point><coordinates>10.1,50.1</coordinates></Point></Placemark>
        <Placemark><name>Yard</name><Polygon><outerBoundaryIs><LinearRing><coordinates>10,50 10.1,50 10.1,50.1 10,50
        </coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></Document></kml>
        """

    @Test(
        "of other programs are read by their content, whatever type they have",
        arguments: [
            nil, "application/octet-stream", "application/geo+json", "application/vnd.google-earth.kml+xml", "text/xml",
        ]) func foreign(type: String?) async throws
    {
        try await TestServer.run { server in
            let made = try await server.send(.POST, "/v1/regions?radius=40", body: Array(Self.kml.utf8), type: type)
            #expect(made.status == 200, "\(made.body)")
            #expect(try made.json["created"]?.int == 2 && made.json["regions"] == nil)
            let warnings = try made.json["warnings"]?.array.map { Array($0) } ?? []
            #expect(warnings.map { $0["code"]?.string } == ["foreign_format", "assumed_length"])
            #expect(try await server.get("/v1/regions/depot").json["properties"]?["radius"]?.double == 40)
            #expect(try await server.get("/v1/regions/yard").json["geometry"]?["type"]?.string == "Polygon")
            let again = try await server.send(.POST, "/v1/regions", body: Array(Self.kml.utf8), type: type).json
            #expect(again["created"]?.int == 0 && again["replaced"]?.int == 2)
        }
    }

    @Test("of other programs change nothing where one cannot be a region, and name its line")
    func foreignErrors() async throws {
        try await TestServer.run { server in
            let table = "name,lat,lon\nShop,48,11\nBad,x,11\n"
            let refused = try await server.post("/v1/regions", table, type: "text/csv")
            #expect(refused.status == 422 && refused.code == "unreadable_place")
            let error = try #require(try refused.json["errors"]?[0])
            #expect(error["line"]?.int == 3 && error["pointer"] == nil)
            #expect(error["detail"]?.string?.contains("the latitude 'x'") == true)
            #expect(try await server.get("/v1/regions").json["data"]?.count == 0)
            let shape = try await server.post("/v1/regions", "SQLite format 3\0", type: "application/octet-stream")
            #expect(try shape.status == 400 && shape.json["detail"]?.string?.contains("ogr2ogr") == true)
            #expect(try await server.post("/v1/regions", table, type: "application/pdf").status == 415)
            for query in ["radius=0", "radius=x", "radius=1e9", "dryRun=perhaps"] {
                #expect(try await server.post("/v1/regions?\(query)", table, type: "text/csv").status == 400)
            }
            // A nested collection is deeper than the stack.
            let nested = String(repeating: "GEOMETRYCOLLECTION(", count: 100_000)
            #expect(try await server.post("/v1/regions", nested, type: "text/plain").status == 422)
            #expect(try await server.get("/healthz").status == 200)
        }
    }

    @Test("are shown by a dry run, and none is stored") func dryRun() async throws {
        try await TestServer.run { server in
            _ = try await server.post("/v1/regions", Self.circle("depot"))
            let shown = try await server.post("/v1/regions?dryRun=true", Self.kml).json
            #expect(shown["created"]?.int == 1 && shown["replaced"]?.int == 1)
            #expect(shown["replacedIds"]?.array?.map(\.string) == ["depot"])
            #expect(shown["regions"]?.array?.map { $0["id"]?.string } == ["depot", "yard"])
            #expect(shown["warnings"]?.count == 2)
            #expect(try await server.get("/v1/regions").json["data"]?.count == 1)
            // One feature that is stored already is refused, as without the dry run.
            #expect(try await server.post("/v1/regions?dryRun=true", Self.circle("depot")).status == 409)
            let one = try await server.post("/v1/regions?dryRun=true", Self.circle("new"))
            #expect(try one.status == 200 && one.json["created"]?.int == 1 && one.json["regions"]?.count == 1)
            #expect(try await server.get("/v1/regions/new").status == 404)
            let many = (0..<501).map { Self.circle("r\($0)") }.joined(separator: "\n")
            let cut = try await server.post("/v1/regions?dryRun=true", many, type: "application/x-ndjson").json
            #expect(cut["created"]?.int == 501 && cut["regions"]?.count == 500)
        }
    }
}
