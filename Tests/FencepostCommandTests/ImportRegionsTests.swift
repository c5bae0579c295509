import Foundation
import Testing

@Suite("fencepost import-regions") struct ImportRegionsTests {
    @Test("makes a file that check accepts, and says what it assumed")
    func converts() throws {
        let folder = try TemporaryFolder()
        let output = folder.url.appending(path: "regions.geojson").path
        let made = try Program.run(
            ["import-regions", "--radius", "150", "--output", output, "Regions/places.kml"], input: Data())
        #expect(made.status == 0)
        #expect(made.output.isEmpty)
        #expect(
            made.errors.contains(
                "Regions/places.kml: KML, 2 regions; 1 without a radius: circles of 150 m (--radius); 1 not used: styles"
            ))
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(text.contains(#""id":"café-nord""#) && text.contains(#""tags":["Customers"]"#))
        let checked = try Program.run(["check", output], input: Data())
        #expect(checked.status == 0 && checked.output.isEmpty)
        #expect(checked.errors.contains("2 regions: 0 problems, 0 warnings"))
        let again = try Program.run(["import-regions", "--output", output, "Regions/places.kml"], input: Data())
        #expect(again.status == 73)
    }

    @Test("writes what is good and ends with 1 where something was left out, with 65 where nothing is left")
    func leftOut() throws {
        let table = "name;lat;lon\nShop;48,1;11,2\nBad;x;1\n"
        let some = try Program.run("import-regions", "-", input: table)
        #expect(some.status == 1)
        #expect(some.output.contains(#""id":"shop""#) && !some.output.contains("Bad"))
        #expect(some.errors.contains("<stdin>:3: error: The row is left out: the latitude 'x'"))
        let none = try Program.run("import-regions", "-", input: "hello\n")
        #expect(none.status == 65 && none.output.isEmpty)
    }

    @Test("is what other commands advise, with the name of the file")
    func advice() throws {
        let checked = try Program.run(["check", "Regions/places.kml"], input: Data())
        #expect(checked.status == 1)
        #expect(
            checked.output.contains(
                "Convert it: fencepost import-regions Regions/places.kml --output regions.geojson."))
    }
}
