import FencepostJSON
import FencepostTesting
import Testing

@Suite("Changes of devices") struct DeviceChangeTests {
    @Test("since a version are listed, and no other devices") func since() async throws {
        try await TestServer.run { server in
            for device in ["a", "b", "c"] { try await server.walkIn(device) }
            let all = try await server.get("/v1/devices?changedSince=start").json
            #expect(all["data"]?.count == 3)
            let version = try #require(all["version"]?.string)
            let none = try await server.get("/v1/devices?changedSince=\(version)").json
            #expect(none["data"]?.count == 0 && none["version"]?.string == version)
            _ = try await server.post(
                "/v1/locations", "{\"locations\":[\(TestServer.location("b", 10, 50.2, 10))]}")
            let one = try await server.get("/v1/devices?changedSince=\(version)").json
            #expect(one["data"]?[0]?["id"]?.string == "b" && one["data"]?.count == 1)
            #expect(one["version"]?.string != version)
            // A version of another run of the service, and an invalid one, list all devices.
            for other in ["zzz.5", "5", "\(version).1", "x"] {
                #expect(try await server.get("/v1/devices?changedSince=\(other)").json["data"]?.count == 3)
            }
            #expect(try await server.get("/v1/devices?changedSince=\(version)&regionId=office").status == 400)
            let bound = try await server.issue(["read"], device: "a")
            #expect(try await server.get("/v1/devices?changedSince=start", token: bound).json["data"]?.count == 1)
            #expect(try await server.get("/v1/devices?changedSince=\(version)", token: bound).json["data"]?.count == 0)
        }
    }

    @Test("add up to the list of all devices", arguments: 1...3 as ClosedRange<UInt64>)
    func follows(seed: UInt64) async throws {
        try await TestServer.run { server in
            var random = SeededGenerator(seed: seed)
            var (seen, version): ([String: String], String) = ([:], "start")
            var minute = 0
            for _ in 0..<12 {
                for _ in 0..<Int.random(in: 0...6, using: &random) {
                    let device = "d\(Int.random(in: 0..<20, using: &random))"
                    let latitude = Double.random(in: 50...51, using: &random)
                    // Fixes of one time would be put into another order later.
                    minute += 1
                    let fix = TestServer.location(device, minute, latitude, 10)
                    _ = try await server.post("/v1/locations", "{\"locations\":[\(fix)]}")
                }
                var (cursor, next): (String?, String?) = (nil, nil)
                repeat {
                    let path = "/v1/devices?changedSince=\(version)&limit=3" + (cursor.map { "&cursor=\($0)" } ?? "")
                    let page = try await server.get(path).json
                    for device in try #require(page["data"]?.array) {
                        seen[try #require(device["id"]?.string)] =
                            device["lastLocation"]?["latitude"]?.double?.description
                    }
                    next = next ?? page["version"]?.string
                    cursor = page["nextCursor"]?.string
                } while cursor != nil
                version = try #require(next)
            }
            var all: [String: String] = [:]
            for device in try #require(try await server.get("/v1/devices?limit=500").json["data"]?.array) {
                all[try #require(device["id"]?.string)] = device["lastLocation"]?["latitude"]?.double?.description
            }
            #expect(seen == all && !all.isEmpty)
        }
    }
}
