import FencepostGeometry
import FencepostModel
import FencepostRegionFiles
import Foundation
import Testing

/// A temporary folder, removed at the end of the test.
final class TemporaryFolder: Sendable {
    let path: String

    init(_ files: [String: String]) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-\(UUID())")
        path = folder.path
        for (name, text) in files {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

@Suite("A set of regions") struct RegionSetTests {
    static func circle(_ id: String, properties: String = "\"radius\":10") -> String {
        """
        {"type":"Feature","id":"\(id)","properties":{\(properties)},"geometry":{"type":"Point","coordinates":[1,2]}}
        """
    }

    static func folder() throws -> TemporaryFolder {
        try TemporaryFolder([
            "b.geojson": circle("b"), "a.json": circle("a"), "B.geojson": circle("upper"), "notes.txt": "none",
            ".hidden.geojson": circle("hidden"), "sub/c.geojson": circle("c"), "sub/deep/d.geojson": circle("d"),
        ])
    }

    @Test(
        "finds its files in the order of their bytes",
        arguments: [
            ("", ["upper", "a", "b"]), ("b.geojson", ["b"]), ("*.geojson", ["upper", "b"]), ("?.json", ["a"]),
            ("sub", ["c"]), ("sub/*", ["c"]), ("**/*.geojson", ["upper", "b", "c", "d"]), ("s*/**/d.*", ["d"]),
            ("**", ["upper", "a", "b", "c", "d"]),
        ])
    func files(pattern: String, ids: [String]) throws {
        let folder = try Self.folder()
        let set = RegionSet.load(paths: [pattern.isEmpty ? folder.path : folder.path + "/" + pattern])
        #expect(set.regions.map(\.id.rawValue) == ids)
        #expect(set.diagnostics.isEmpty && set.files.count == ids.count)
    }

    @Test(
        "reports a path without files", arguments: ["none.geojson", "*.gpx", "none/*", "empty"])
    func missing(path: String) throws {
        let folder = try TemporaryFolder(["a.geojson": Self.circle("a"), "empty/notes.txt": ""])
        let set = RegionSet.load(paths: [folder.path + "/" + path, folder.path])
        #expect(set.regions.map(\.id.rawValue) == ["a"])
        #expect(set.diagnostics.map(\.code) == [path == "empty" ? "no_region_files" : "no_such_file"])
        #expect(set.diagnostics.first?.file == folder.path + "/" + path)
    }

    @Test("reads a file once that is named twice, and reports both positions of a duplicate id")
    func twice() throws {
        let folder = try TemporaryFolder(["a.geojson": Self.circle("same"), "b.geojson": Self.circle("same")])
        let set = RegionSet.load(
            paths: [folder.path + "/a.geojson", folder.path + "/./a.geojson", folder.path + "/b.geojson"])
        #expect(set.regions.count == 1)
        #expect(set.files.count == 2)
        let diagnostic = try #require(set.diagnostics.first)
        #expect(set.diagnostics.count == 1 && diagnostic.code == "duplicate_id" && set.hasErrors)
        #expect(diagnostic.file == folder.path + "/b.geojson")
        #expect(diagnostic.message.contains("a.geojson"))
    }

    @Test("reads all properties")
    func properties() throws {
        let text = Self.circle(
            "r",
            properties: """
                "radius":10,"name":"Büro","tags":["a","b"],"notifyOnEntry":false,"notifyOnExit":null,
                "dwell":["PT1H30M",90.5,"P1D"],"initialState":"silent","crossing":"coreLocation","devices":["a/*","b"],
                "minAltitude":-3.5,"maxAltitude":12,"expires":"2026-03-01T09:30:00+0100","metadata":{"a":[1,null]},
                "schedule":{"timeZone":"Asia/Seoul","weekly":["Fri-Mon 22:00-06:00","wednesday"],"except":["1970-01-02"]},
                "owner":"me"
                """)
        let reading = RegionFile.read(Array(text.utf8))
        #expect(reading.diagnostics.isEmpty, "\(reading.diagnostics)")
        let region = try #require(reading.regions.first)
        #expect(region.name == "Büro" && region.tags == ["a", "b"])
        #expect(!region.notifyOnEntry && region.notifyOnExit)
        #expect(region.dwells == [.milliseconds(90_500), .seconds(5400), .seconds(86_400)])
        #expect(region.initialState == .silent && region.crossing == .coreLocation)
        #expect(region.devices?.map(\.rawValue) == ["a/*", "b"])
        #expect(region.minAltitude == -3.5 && region.maxAltitude == 12)
        #expect(region.expires?.rfc3339 == "2026-03-01T08:30:00Z")
        #expect(region.metadata?.rawValue == #"{"a":[1,null]}"#)
        #expect(region.otherProperties?.rawValue == #"{"owner":"me"}"#)
        let schedule = try #require(region.schedule)
        #expect(schedule.timeZone.identifier == "Asia/Seoul" && schedule.except == [1])
        #expect(
            schedule.weekly == [
                Schedule.Opening(weekdays: [4, 5, 6, 0], start: 1320, end: 360),
                Schedule.Opening(weekdays: [2], start: 0, end: 1440),
            ])
    }

    @Test("takes ids from the property in the options")
    func ids() {
        let text = """
            {"type":"FeatureCollection","features":[
            {"type":"Feature","id":1.0,"properties":{"id":"x","code":"A","radius":1},"geometry":{"type":"Point","coordinates":[0,0]}},
            {"type":"Feature","properties":{"id":2.5,"radius":1},"geometry":{"type":"Point","coordinates":[0,0]}}]}
            """
        let plain = RegionFile.read(Array(text.utf8))
        #expect(plain.regions.map(\.id.rawValue) == ["1", "2.5"])
        let named = RegionFile.read(Array(text.utf8), options: RegionOptions(idProperty: "code"))
        #expect(named.regions.map(\.id.rawValue) == ["A", "2.5"])
    }

    @Test(
        "distinguishes misspelt names from unknown ones",
        arguments: [
            ("raduis", true), ("notifyOnEntery", true), ("shedule", true), ("tag", true), ("nmae", true),
            ("Name", true),
            ("kind", false), ("date", false), ("lane", false), ("id2", false), ("population", false), ("iso_a3", false),
        ])
    func misspelt(name: String, isWarned: Bool) {
        let text = Self.circle("r", properties: "\"radius\":1,\"\(name)\":1")
        let codes = RegionFile.read(Array(text.utf8)).diagnostics.map(\.code)
        #expect(codes == (isWarned ? ["misspelt_property"] : []))
    }

    @Test("reads the same on several threads and on one")
    func large() {
        let features = (0..<3000).map { number in
            number == 1500
                ? Self.circle("bad", properties: "\"radius\":-1") : Self.circle("r\(number)")
        }
        let text = "{\"type\":\"FeatureCollection\",\"features\":[\(features.joined(separator: ","))]}"
        let reading = RegionFile.read(Array(text.utf8))
        #expect(reading.regions.map(\.id.rawValue) == (0..<3000).filter { $0 != 1500 }.map { "r\($0)" })
        #expect(reading.diagnostics.map(\.position) == [.pointer("/features/1500/properties/radius")])
    }
}
