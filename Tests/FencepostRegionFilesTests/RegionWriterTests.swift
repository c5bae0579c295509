import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import FencepostTesting
import Foundation
import Testing

@Suite("A written region") struct RegionWriterTests {
    static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    static func text(_ region: Region) -> String {
        var writer = JSONWriter()
        writer.value(region)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Reads a region back; expects no error.
    static func reread(_ region: Region, options: RegionOptions = RegionOptions()) -> Region? {
        let reading = RegionFile.read(text(region).utf8, options: options)
        #expect(!reading.diagnostics.contains { $0.severity == .error }, "\(reading.diagnostics)")
        return reading.regions.first
    }

    private func expectRoundTrips(_ regions: [Region]) {
        for region in regions {
            guard let again = Self.reread(region) else {
                Issue.record("\(region.id) cannot be read again")
                continue
            }
            #expect(again == region, "\(region.id)")
            #expect(Self.text(again) == Self.text(region), "\(region.id)")
        }
    }

    @Test("is read as an equal region, for the samples", arguments: ["city", "antimeridian"])
    func samples(name: String) {
        let set = RegionSet.load(paths: [Self.package.appending(path: "Regions/\(name).geojson").path])
        #expect(!set.regions.isEmpty)
        expectRoundTrips(set.regions)
    }

    @Test("is read as an equal region, for real ones", .enabled(if: SharedData.isPresent, "the shared data is missing"))
    func real() {
        let set = RegionSet.load(paths: [SharedData.file("regions").path])
        #expect(set.regions.count > 2000)
        expectRoundTrips(set.regions)
    }

    @Test("is read as an equal region, for repaired files")
    func corrected() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: DiagnosticsTests.folder.path)
        for name in names.sorted() where name.hasSuffix(".geojson") {
            let bytes = try Data(contentsOf: DiagnosticsTests.folder.appending(path: name))
            expectRoundTrips(RegionFile.read(bytes, options: RegionOptions(repair: true)).regions)
        }
    }

    @Test("is read as an equal region, for any", arguments: 1...300 as ClosedRange<UInt64>)
    func generated(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let json = RandomFeature.json(using: &random)
        let reading = RegionFile.read(json.utf8)
        #expect(reading.diagnostics.filter { $0.severity == .error } == [], "\(json)")
        #expect(reading.regions.count == 1)
        expectRoundTrips(reading.regions)
    }

    @Test("has the options that differ from their defaults, in a fixed order")
    func golden() throws {
        let json = """
            {"type":"Feature","properties":{"zeta":[1,{"b":null}],"devices":"jane/*","radius":200,"name":"Office",
             "dwell":["PT5M",60],"tags":["work"],"notifyOnExit":true,"notifyOnEntry":false,"initialState":"silent",
             "crossing":"raw","minAltitude":-3,"maxAltitude":12.5,"expires":"2026-12-31T10:00:00.5+01:00","width":4,
             "schedule":{"timeZone":"Asia/Seoul","weekly":["Fri-Mon 9:00-18:00","22:00-06:00","Wed"],
             "except":["2026-12-25"]},"metadata":{"floor": 3 ,"open":true},"Alpha":1e3},
             "geometry":{"type":"Point","coordinates":[182.5,48,30]},"id":7}
            """
        let region = try #require(RegionFile.read(json.utf8).regions.first)
        let golden =
            #"{"type":"Feature","id":"7","geometry":{"type":"Point","coordinates":[-177.5,48]},"properties":{"#
            + #""radius":200,"name":"Office","tags":["work"],"notifyOnEntry":false,"dwell":[60,300],"#
            + #""initialState":"silent","crossing":"raw","schedule":{"timeZone":"Asia/Seoul","weekly":["#
            + #""Mon,Fri-Sun 09:00-18:00","22:00-06:00","Wed 00:00-24:00"],"except":["2026-12-25"]},"#
            + #""devices":["jane/*"],"minAltitude":-3,"maxAltitude":12.5,"expires":"2026-12-31T09:00:00.500Z","#
            + #""metadata":{"floor":3,"open":true},"zeta":[1,{"b":null}],"width":4,"Alpha":1000}}"#
        #expect(Self.text(region) == golden)
    }

    @Test("supports times that RFC 3339 cannot represent")
    func farTimes() throws {
        for expires in [-62_167_219_200_001, -62_167_219_200_000, 253_402_300_799_999, 253_402_300_800_000] {
            var region = Region(
                id: RegionID("a"),
                shape: .circle(Circle(center: Coordinate(latitude: 1, longitude: 2), radius: 3)))
            region.expires = Timestamp(milliseconds: Int64(expires))
            #expect(Self.reread(region)?.expires == region.expires)
        }
    }

    @Test("does not let unknown properties replace the region's own")
    func shadowing() throws {
        var region = Region(
            id: RegionID("a"), shape: .circle(Circle(center: Coordinate(latitude: 1, longitude: 2), radius: 3)))
        region.otherProperties = JSONText(#"{"radius":9,"name":"no","id":"b","width":4}"#)
        let again = try #require(Self.reread(region))
        #expect(again.id == RegionID("a"))
        #expect(again.name == nil)
        #expect(again.otherProperties?.rawValue == #"{"width":4}"#)
    }
}

@Suite("A region's id from the request") struct RegionIDOptionTests {
    private func read(_ id: String?, properties: String = #"{"radius":5}"#, wanted: String) -> RegionFile.Reading {
        let member = id.map { "\"id\":\($0)," } ?? ""
        let json = """
            {"type":"Feature",\(member)"properties":\(properties),"geometry":{"type":"Point","coordinates":[1,2]}}
            """
        var limits = RegionOptions.Limits.none
        limits.text = 10
        return RegionFile.read(json.utf8, options: RegionOptions(limits: limits, id: RegionID(wanted)))
    }

    @Test("applies to a feature without an id, and to one with the same id")
    func agrees() {
        for id in [nil, "\"12\"", "12"] {
            let reading = read(id, wanted: "12")
            #expect(reading.diagnostics.isEmpty)
            #expect(reading.regions.map(\.id.rawValue) == ["12"])
        }
    }

    @Test("is an error for a feature with another id, and for several features")
    func disagrees() {
        #expect(read("\"b\"", wanted: "a").diagnostics.map(\.code) == ["id_mismatch"])
        #expect(read("\"b\"", wanted: "a").diagnostics.map(\.position) == [.pointer("/id")])
        let inProperties = read(nil, properties: #"{"radius":5,"id":"b"}"#, wanted: "a")
        #expect(inProperties.diagnostics.map(\.position) == [.pointer("/properties/id")])
        #expect(read(nil, wanted: "").diagnostics.map(\.code) == ["invalid_id"])
        #expect(read(nil, wanted: "0123456789a").diagnostics.map(\.code) == ["text_too_long"])
        let many = """
            {"type":"FeatureCollection","features":[
             {"type":"Feature","properties":{"radius":1},"geometry":{"type":"Point","coordinates":[1,2]}},
             {"type":"Feature","properties":{"radius":1},"geometry":{"type":"Point","coordinates":[1,2]}}]}
            """
        let reading = RegionFile.read(many.utf8, options: RegionOptions(id: RegionID("a")))
        #expect(reading.diagnostics.map(\.code) == ["too_many_features"])
        #expect(reading.regions.isEmpty)
    }
}
