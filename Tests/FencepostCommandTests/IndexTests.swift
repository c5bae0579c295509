import Foundation
import Testing

@Suite("fencepost index") struct IndexTests {
    private static let day = "Regions/tracks/day.ndjson"

    private static func run(_ arguments: [String]) throws -> Program.Result {
        try Program.run(arguments, input: Data())
    }

    @Test("gives the same events, with the regions' files and without", arguments: ["ndjson", "text"])
    func sameEvents(output: String) throws {
        let folder = try TemporaryFolder()
        let index = folder.path("city.index")
        let written = try Self.run(["index", "--regions", "Regions", "--output", index])
        #expect(written.status == 0)
        #expect(written.errors.contains("regions in \(index)"))
        let watch = ["watch", "--output", output, "--quiet", "--time-zone", "Europe/Lisbon"]
        let plain = try Self.run(watch + ["--regions", "Regions", Self.day])
        #expect(plain.status == 0 && !plain.output.isEmpty)
        for regions in [["--regions", "Regions"], []] {
            let saved = try Self.run(watch + regions + ["--index", index, Self.day])
            #expect(saved.status == 0)
            #expect(saved.output == plain.output)
            #expect(saved.errors == plain.errors)
        }
        let points = ["locate", "--quiet", Self.day]
        #expect(
            try Self.run(points + ["--index", index]).output
                == Self.run(points + ["--regions", "Regions"]).output)
    }

    @Test("is not used when a region file has changed, and refused when there is nothing else")
    func outdated() throws {
        let folder = try TemporaryFolder()
        let (regions, index) = (folder.path("r.geojson"), folder.path("r.index"))
        try FileManager.default.copyItem(
            at: Program.root.appending(path: "Regions/city.geojson"), to: URL(filePath: regions))
        #expect(try Self.run(["index", "--regions", regions, "--output", index]).status == 0)
        let text = try String(contentsOfFile: regions, encoding: .utf8)
        try Data((text + "\n").utf8).write(to: URL(filePath: regions))
        let stale = try Self.run(["watch", "--regions", regions, "--index", index, Self.day])
        #expect(stale.status == 0)
        #expect(stale.errors.contains("is outdated: \(regions) has changed. The regions are read from their files."))
        var bytes = try Data(contentsOf: URL(filePath: index))
        bytes[bytes.count - 5] ^= 1
        try bytes.write(to: URL(filePath: index))
        let damaged = try Self.run(["watch", "--index", index, Self.day])
        #expect(damaged.status == 65)
        #expect(damaged.output.isEmpty && damaged.errors.contains("\(index) is damaged"))
        let missing = try Self.run(["locate", "--index", folder.path("none.index"), Self.day])
        #expect(missing.status == 66)
    }

    @Test("never replaces a file unasked, and none that it reads")
    func outputs() throws {
        let folder = try TemporaryFolder()
        let regions = folder.path("r.geojson")
        try FileManager.default.copyItem(
            at: Program.root.appending(path: "Regions/city.geojson"), to: URL(filePath: regions))
        #expect(try Self.run(["index", "--regions", regions, "--output", regions, "--force"]).status == 73)
        let index = folder.path("r.index")
        #expect(try Self.run(["index", "--regions", regions, "--output", index]).status == 0)
        #expect(try Self.run(["index", "--regions", regions, "--output", index]).status == 73)
        #expect(try Self.run(["index", "--regions", regions, "--output", index, "--force"]).status == 0)
        #expect(try Self.run(["index", "--regions", "-", "--output", index]).status == 64)
        #expect(
            try Self.run(["index", "--regions", folder.path("none"), "--output", folder.path("other")]).status == 66)
    }
}

extension TemporaryFolder {
    fileprivate func path(_ name: String) -> String { url.appending(path: name).path }
}
