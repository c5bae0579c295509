import FencepostHTTP
import FencepostJSON
import FencepostModel
import Foundation
import Testing

@testable import FencepostServer

@Suite("Exports over HTTP") struct ExportRouteTests {
    private static func withHistory(_ body: @escaping @Sendable (TestServer) async throws -> Void) async throws {
        try await TestServer.run { server in
            #expect(try await server.post("/v1/regions", TestServer.office, type: "application/geo+json").status == 201)
            for device in ["jane/phone", "van-1"] {
                for day in -3...(-1) {
                    let body = HistoryReportTests.morning(device, day: day)
                    #expect(try await server.post("/v1/locations", body, type: "application/x-ndjson").status == 200)
                }
            }
            #expect(try await server.put("/v1/groups/vans", #"{"devices":["van-*"]}"#).status < 300)
            try await body(server)
        }
    }

    /// Whether a file is complete: with its marks at both ends and the metadata of GeoParquet.
    private static func isParquet(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return bytes.starts(with: Array("PAR1".utf8)) && bytes.suffix(4) == Array("PAR1".utf8)
            && text.contains(#""primary_column":"geometry""#)
    }

    @Test("GeoParquet of each kind is a file to save, with and without rows") func kinds() async throws {
        try await Self.withHistory { server in
            for kind in ["locations", "visits", "trips", "events"] {
                let full = try await server.get("/v1/exports?kind=\(kind)&deviceId=van-1")
                #expect(full.status == 200 && Self.isParquet(full.body), "\(kind)")
                #expect(full["Content-Type"] == "application/vnd.apache.parquet")
                #expect(full["Content-Disposition"] == "attachment; filename=\"\(kind).parquet\"")
                let empty = try await server.get(
                    "/v1/exports?kind=\(kind)&deviceId=van-1&from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z")
                #expect(empty.status == 200 && Self.isParquet(empty.body), "\(kind)")
                #expect(empty.body.count < full.body.count, "\(kind)")
            }
        }
    }

    @Test("trajectories have the locations of the list, by device and span") func trajectories() async throws {
        try await Self.withHistory { server in
            for filter in ["deviceId=van-1", "deviceId=jane/phone&from=2026-02-27T00:00:00Z&to=2026-02-28T00:00:00Z"] {
                let list =
                    try await server.get("/v1/locations?limit=500&\(filter)").json["data"]?.array.map { Array($0) }
                    ?? []
                let file = try await server.get("/v1/exports?format=mf-json&\(filter)").json
                let geometry = try #require(file["features"]?[0]?["temporalGeometry"])
                let latitudes = geometry["coordinates"]?.array?.compactMap { $0[1]?.double }
                #expect(latitudes == list.compactMap { $0["latitude"]?.double }, "\(filter)")
                #expect(list.count >= 70 && file["features"]?.count == 1)
            }
            let trips = try await server.get("/v1/trips?deviceId=van-1").json["data"]?.count ?? 0
            let file = try await server.get("/v1/exports?format=mf-json&kind=trips&deviceId=van-1").json
            #expect(trips > 0 && file["features"]?.count == trips)
        }
    }

    @Test("what cannot be exported is refused with the reason") func refusals() async throws {
        try await Self.withHistory { server in
            for (query, status, words) in [
                ("format=mf-json&kind=visits&deviceId=van-1", 400, "kind=locations or kind=trips"),
                ("deviceId=van-1&from=2026-02-28T00:00:00Z&to=2026-02-27T00:00:00Z", 400, "before to"),
                ("deviceId=nobody", 404, "device does not exist"), ("format=csv", 422, "geoparquet"),
                ("kind=regions", 422, "locations"), ("deviceId=van-1&limit=5", 400, "limit"),
            ] {
                let reply = try await server.get("/v1/exports?\(query)")
                #expect(reply.status == status && reply.text.contains(words), "\(query): \(reply.text)")
            }
        }
    }

    @Test("a token of a device gets that device only, and ingest gets nothing") func rights() async throws {
        try await Self.withHistory { server in
            let bound = try await server.issue(["read"], device: "van-1")
            let own = try await server.get("/v1/exports?format=mf-json", token: bound)
            #expect(try own.json["features"]?.count == 1)
            #expect(try own.json["features"]?[0]?["properties"]?["deviceId"]?.string == "van-1")
            let other = try await server.get("/v1/exports?deviceId=jane/phone", token: bound)
            #expect(other.status == 404 && !other.text.contains("PAR1"), "\(other.text)")
            let ingest = try await server.issue(["ingest"])
            #expect(try await server.get("/v1/exports?deviceId=van-1", token: ingest).status == 403)
        }
    }
}
