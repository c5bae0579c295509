import FencepostModel
import FencepostRegionFiles
import Foundation
import Testing

/// Each `Golden/NAME.geojson` has its diagnostics in `Golden/NAME.txt`, followed by the ids of the valid regions.
///
/// With `FENCEPOST_UPDATE_GOLDEN=1` in the environment the texts are rewritten.
@Suite("The diagnostics of bad region files") struct DiagnosticsTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".geojson") }.map { String($0.dropLast(8)) }.sorted()
    }

    @Test("equal the golden files", arguments: try names())
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

    @Test("name every problem at once and keep the valid regions")
    func goodBesideBad() throws {
        let bytes = try Data(contentsOf: Self.folder.appending(path: "geometries.geojson"))
        let reading = RegionFile.read(bytes)
        #expect(reading.regions.map(\.id.rawValue) == ["good"])
        #expect(reading.diagnostics.count > 10)
    }

    @Test("are avoided by repair, where the geometry has an area")
    func repair() throws {
        let bytes = try Data(contentsOf: Self.folder.appending(path: "geometries.geojson"))
        let repaired = RegionFile.read(bytes, options: RegionOptions(repair: true))
        let ids = Set(repaired.regions.map(\.id.rawValue))
        #expect(ids.isSuperset(of: ["good", "bow-tie", "hole-outside", "open", "nested"]))
        #expect(repaired.diagnostics.contains { $0.code == "repaired" && $0.severity == .warning })
    }

    @Test("name what exceeds the limits of a service")
    func limits() {
        let name = String(repeating: "x", count: 300)
        let text = """
            {"type":"Feature","id":"a","properties":{"name":"\(name)","radius":5,"metadata":{"k":"\(name)"}},\
            "geometry":{"type":"Point","coordinates":[1,2]}}
            """
        #expect(RegionFile.read(Array(text.utf8)).diagnostics.map(\.code) == ["text_too_long"])
        #expect(RegionFile.read(Array(text.utf8), options: .stored).diagnostics.isEmpty)
        var limits = RegionOptions.Limits.service
        limits.metadata = 100
        let options = RegionOptions(limits: limits)
        let reading = RegionFile.read(Array(text.utf8), options: options)
        #expect(reading.diagnostics.map(\.code) == ["text_too_long", "metadata_too_large"])
    }
}
