import Foundation
import Testing

@Suite("fencepost import-regions") struct ImportRegionsTests {
    @Test("makes a file that check accepts, and says what it assumed")
    func converts() throws {
        let folder = try TemporaryFolder()
        let output = folder.url.appending(path: "regions.geojson").path
        let made = try Program.run(
            ["import-regions", "--radius", "150", "--output", output, "Regions/import/places.kml"], input: Data())
        #expect(made.status == 0)
        #expect(made.output.isEmpty)
        #expect(
            made.errors.contains(
                "Regions/import/places.kml: KML, 2 regions; 1 without a radius: circles of 150 m (--radius); 1 not used: styles"
            ))
        let text = try String(contentsOfFile: output, encoding: .utf8)
        #expect(text.contains(#""id":"café-nord""#) && text.contains(#""tags":["Customers"]"#))
        let checked = try Program.run(["check", output], input: Data())
        #expect(checked.status == 0 && checked.output.isEmpty)
        #expect(checked.errors.contains("2 regions: 0 problems, 0 warnings"))
        let again = try Program.run(["import-regions", "--output", output, "Regions/import/places.kml"], input: Data())
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

    @Test("is what check advises for a file that it reads as well, with exit code 1")
    func checked() throws {
        let checked = try Program.run(["check", "Regions/import/places.kml"], input: Data())
        #expect(checked.status == 1)
        #expect(checked.output.contains("Regions/import/places.kml: warning: This is KML"))
        #expect(checked.output.contains("fencepost import-regions"))
        #expect(checked.output.contains("1 without a radius: circles of 100 m (the option radius). [assumed_length]"))
        #expect(!checked.output.contains("error"))
        #expect(checked.errors.contains("1 file, 2 regions: 0 problems, 3 warnings"))
        // A format that is not read names the way.
        let cells = try Program.run("check", "-", input: "891e1c96303ffff\n")
        #expect(cells.status == 1 && cells.output.contains("h3.cells_to_geo"))
    }

    @Test("is not needed for the regions of a configuration, which check accepts with warnings")
    func configured() throws {
        let folder = try TemporaryFolder()
        let file = Program.root.appending(path: "Regions/import/places.kml").path
        let config = try folder.file("fencepost.json", #"{"regions":["\#(file)"],"regionRadius":250}"#)
        let checked = try Program.run(["check", config], input: Data())
        #expect(checked.status == 0, "\(checked.output)")
        #expect(checked.output.contains("[foreign_format]") && checked.output.contains("circles of 250 m"))
        let broken = try folder.file("broken.csv", "name,lat,lon\nShop,48,11\nBad,x,11\n")
        let second = try folder.file("second.json", #"{"regions":["\#(broken)"]}"#)
        #expect(try Program.run(["check", second], input: Data()).status == 1)
    }

    @Test("is not needed for other commands, which read the same regions")
    func read() throws {
        let folder = try TemporaryFolder()
        let table = try folder.file("places.csv", "ref,name,lat,lon\nx7,Shop,48,11\n")
        let near = #"{"lat":48.0013,"lon":11}"# + "\n"
        let none = try Program.run("locate", "--regions", table, input: near)
        #expect(none.status == 0 && none.output.contains(#""regions":[]"#))
        #expect(none.errors.contains("This is a table (CSV)."))
        let inside = try Program.run(
            "locate", "--regions", table, "--radius", "150", "--id-property", "ref", input: near)
        #expect(inside.output.contains(#""regions":["x7"]"#))
        #expect(try Program.run("locate", "--regions", table, "--radius", "0", input: near).status == 64)
        // An index is that of the radius with which it was made.
        let index = folder.url.appending(path: "places.index").path
        let made = try Program.run(
            ["index", "--regions", table, "--radius", "150", "--output", index], input: Data())
        #expect(made.status == 0, "\(made.errors)")
        for (radius, isCurrent) in [("150", true), ("20", false)] {
            let used = try Program.run(
                "locate", "--regions", table, "--index", index, "--radius", radius, input: near)
            #expect(used.errors.contains("other options") == !isCurrent)
            #expect(used.output.contains("[]") == !isCurrent)
        }
    }
}
