import FencepostModel
import FencepostRegionFiles
import Foundation
import Testing

/// Each `Golden/NAME.geojson` has its diagnostics in `Golden/NAME.txt`, then the ids of the regions that can be used.
///
/// With `FENCEPOST_UPDATE_GOLDEN=1` in the environment the texts are written anew.
@Suite("What is told of bad region files") struct DiagnosticsTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".geojson") }.map { String($0.dropLast(8)) }.sorted()
    }

    @Test("is as written", arguments: try names())
    func golden(name: String) throws {
        let bytes = try Data(contentsOf: Self.folder.appending(path: "\(name).geojson"))
        let reading = RegionFile.read(bytes, name: "\(name).geojson")
        let text =
            (reading.diagnostics.map(\.description) + ["", "regions: \(reading.regions.map(\.id.rawValue))", ""])
            .joined(separator: "\n")
        let file = Self.folder.appending(path: "\(name).txt")
        if ProcessInfo.processInfo.environment["FENCEPOST_UPDATE_GOLDEN"] == "1" {
            try Data(text.utf8).write(to: file)
        }
        let golden = try String(contentsOf: file, encoding: .utf8)
        #expect(text == golden)
    }

    @Test("names every problem at once, and keeps the good regions beside the bad ones")
    func goodBesideBad() throws {
        let bytes = try Data(contentsOf: Self.folder.appending(path: "geometries.geojson"))
        let reading = RegionFile.read(bytes)
        #expect(reading.regions.map(\.id.rawValue) == ["good"])
        #expect(reading.diagnostics.count > 10)
    }

    @Test("can be mended by repair, where the geometry has an area")
    func repair() throws {
        let bytes = try Data(contentsOf: Self.folder.appending(path: "geometries.geojson"))
        let repaired = RegionFile.read(bytes, options: RegionOptions(repair: true))
        let ids = Set(repaired.regions.map(\.id.rawValue))
        #expect(ids.isSuperset(of: ["good", "bow-tie", "hole-outside", "open", "nested"]))
        #expect(repaired.diagnostics.contains { $0.code == "repaired" && $0.severity == .warning })
    }

    @Test("says what is larger than a service takes")
    func limits() {
        let name = String(repeating: "x", count: 300)
        let text = """
            {"type":"Feature","id":"a","properties":{"name":"\(name)","radius":5,"metadata":{"k":"\(name)"}},\
            "geometry":{"type":"Point","coordinates":[1,2]}}
            """
        #expect(RegionFile.read(Array(text.utf8)).diagnostics.isEmpty)
        var limits = RegionOptions.Limits.service
        limits.metadata = 100
        let options = RegionOptions(limits: limits)
        let reading = RegionFile.read(Array(text.utf8), options: options)
        #expect(reading.diagnostics.map(\.code) == ["text_too_long", "metadata_too_large"])
    }
}
