import FencepostJSON
import FencepostModel
import Foundation
import Testing

@Suite("fencepost watch") struct WatchTests {
    static let day = "Regions/tracks/day.ndjson"

    @Test("gives the golden file's events for the sample day")
    func sampleDay() throws {
        let result = try Program.run("watch", "--regions", "Regions", "--crossing", "raw", "--visits", "off", Self.day)
        #expect(result.status == 0)
        let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/day-raw.ndjson")
        if ProcessInfo.processInfo.environment["FENCEPOST_REWRITE"] != nil {
            try result.output.write(to: golden, atomically: true, encoding: .utf8)
        }
        #expect(result.output == (try String(contentsOf: golden, encoding: .utf8)))
    }

    @Test("gives the same bytes twice, and through a pipe", arguments: ["raw", "confirmed", "coreLocation"])
    func sameBytes(crossing: String) throws {
        let arguments = ["watch", "--regions", "Regions", "--crossing", crossing]
        let first = try Program.run(arguments + [Self.day], input: Data())
        let second = try Program.run(arguments + [Self.day], input: Data())
        #expect(first.output == second.output)
        let pipe = Pipe()
        let folder = try TemporaryFolder()
        let file = URL(filePath: try folder.file("out", ""))
        let process = try Program.start(
            arguments + ["-"], input: pipe, output: try FileHandle(forWritingTo: file), errors: nil)
        let track = try Data(contentsOf: Program.root.appending(path: Self.day))
        // Chunks that end in the middle of lines.
        for start in stride(from: 0, to: track.count, by: 7001) {
            try pipe.fileHandleForWriting.write(contentsOf: track[start..<min(start + 7001, track.count)])
        }
        try pipe.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(try String(contentsOf: file, encoding: .utf8) == first.output)
        #expect(!first.output.isEmpty)
    }

    @Test("reports visits without regions")
    func visitsAlone() throws {
        let result = try Program.run("watch", Self.day)
        #expect(result.status == 0)
        #expect(!result.lines.isEmpty)
        #expect(result.lines.allSatisfy { $0.contains(#""type":"visit."#) || $0.contains(#""type":"device."#) })
        #expect(try Program.run("watch", "--visits", "off", Self.day).status == 64)
    }

    @Test("gives events with consecutive sequence numbers per device and unique ids")
    func sequences() throws {
        let result = try Program.run("watch", "--regions", "Regions", Self.day)
        var sequences: [String: Int] = [:]
        var ids: Set<String> = []
        for line in result.lines {
            let event = try JSONDocument(parsing: line).root
            let device = try #require(event["deviceId"]?.string)
            #expect(event["sequence"]?.int == sequences[device, default: 0] + 1)
            sequences[device, default: 0] += 1
            #expect(ids.insert(try #require(event["id"]?.string)).inserted)
        }
        #expect(sequences.count == 4)
    }

    @Test("drops and names speeds and accuracies beyond their ranges, and prints alerts of the largest")
    func hugeAlerts() throws {
        let folder = try TemporaryFolder()
        let config = try folder.file(
            "c.json",
            #"{"monitor":{"alerts":[{"type":"speed","above":"120 km/h"},{"type":"accuracy","above":50,"for":0}]}}"#)
        func run(_ members: String) throws -> (output: String, errors: String) {
            let lines = (0..<3).map { number in
                #"{"deviceId":"a","timestamp":\#(1_772_000_000 + 30 * number),"latitude":48,"longitude":2,\#(members)}"#
            }
            let result = try Program.run(
                "watch", "--config", config, "--output", "text", "-", input: lines.joined(separator: "\n") + "\n")
            #expect(result.status == 0, "\(result.errors.prefix(300))")
            return (result.output, result.errors)
        }
        let largest = try run(#""horizontalAccuracy":20000000,"speed":100000"#)
        #expect(largest.output.contains("speed 360000 km/h, limit 120 km/h"), "\(largest.output)")
        #expect(largest.output.contains("accuracy 20000000 m, limit 50 m"), "\(largest.output)")
        let beyond = try run(#""horizontalAccuracy":1e200,"speed":1e300"#)
        #expect(!beyond.output.contains("limit"))
        #expect(beyond.errors.contains("3 horizontalAccuracy dropped, 3 speed dropped"), "\(beyond.errors)")
    }

    @Test(
        "exits with 65 when every record is rejected, as other commands do",
        arguments: [
            ["watch", "--regions", "Regions"], ["locate", "--regions", "Regions"], ["trips"], ["report"], ["suggest"],
            ["notify", "--dry-run"], ["diff", "--before", "Regions", "--after", "Regions/city.geojson"],
            ["import", "--dry-run", "--storage", "/nonexistent/f.sqlite", "--format", "ndjson"],
        ])
    func allRejected(command: [String]) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("bad.ndjson", "{\"deviceId\":\"a\"}\n{\"deviceId\":\"b\"}\n")
        let result = try Program.run(command + [file], input: Data())
        #expect(result.status == 65, "\(result.output) \(result.errors)")
    }

    @Test("reports invalid records by line and continues")
    func rejects() throws {
        let lines = """
            {"deviceId":"a","timestamp":"2026-03-01T08:30:00Z","latitude":38.7105,"longitude":-9.1395}
            {"deviceId":"a","timestamp":"2026-03-01T08:31:00Z","latitude":98.7,"longitude":-9.1395}
            nonsense
            {"deviceId":"a","timestamp":"2026-03-01T08:32:00Z","latitude":39.7105,"longitude":-9.1395}
            """
        let folder = try TemporaryFolder()
        let summary = folder.url.appending(path: "summary.json").path
        let result = try Program.run(
            "watch", "--regions", "Regions", "--crossing", "raw", "--visits", "off", "--summary", summary, "--strict",
            "-",
            input: lines)
        #expect(result.status == 65)
        #expect(result.errors.contains("<stdin>:2: error:"))
        #expect(result.errors.contains("[coordinate_out_of_range]"))
        #expect(result.errors.contains("<stdin>:3: error:"))
        let root = try JSONDocument(parsing: try Data(contentsOf: URL(filePath: summary))).root
        #expect(root["locations"]?.int == 4)
        #expect(root["accepted"]?.int == 2)
        #expect(root["rejected"]?.int == 2)
        #expect(root["events"]?["region.entered"]?.int == 2)
        #expect(root["events"]?["region.exited"]?.int == 2)
        #expect(root["regions"]?.int == 12)
    }

    @Test("exits with a code for each kind of wrong call")
    func exitCodes() throws {
        let folder = try TemporaryFolder()
        let config = try folder.file("config.json", #"{"region":["x"]}"#)
        let broken = try folder.file("broken.geojson", #"{"type":"Feature"}"#)
        #expect(try Program.run("watch").status == 64)
        #expect(try Program.run("watch", "--regions", "Regions", "--crossing", "rawish").status == 64)
        #expect(try Program.run("watch", "--regions", "no-such.geojson").status == 66)
        #expect(try Program.run("watch", "--regions", broken).status == 65)
        #expect(try Program.run("watch", "--config", config).status == 78)
        #expect(try Program.run("watch", "--regions", "Regions", "no-such.ndjson").status == 66)
        #expect(
            try Program.run("watch", "--regions", "Regions", "--summary", "/no/such/folder/x", Self.day).status == 73)
    }

    @Test("finishes with its results when it is interrupted")
    func interrupted() throws {
        let input = Pipe()
        let output = Pipe()
        let process = try Program.start(
            ["watch", "--regions", "Regions", "--crossing", "raw", "-"], input: input, output: output, errors: nil)
        let fix = #"{"deviceId":"a","timestamp":"2026-03-01T08:30:00Z","lat":38.7105,"lon":-9.1395}"# + "\n"
        try input.fileHandleForWriting.write(contentsOf: Data(fix.utf8))
        // The event is printed while the input is open.
        var first = Data()
        while !first.contains(UInt8(ascii: "\n")) { first += output.fileHandleForReading.availableData }
        #expect(String(decoding: first, as: UTF8.self).contains("region.entered"))
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationStatus == 130)
    }

    @Test("writes a GeoJSON feature collection with reasons")
    func otherOutputs() throws {
        let geojson = try Program.run("watch", "--regions", "Regions", "--output", "geojson", Self.day)
        let root = try JSONDocument(parsing: geojson.output).root
        #expect(root["type"]?.string == "FeatureCollection")
        #expect(root["features"]?.count ?? 0 > 40)
        let explained = try Program.run("watch", "--regions", "Regions", "--crossing", "raw", "--explain", Self.day)
        let entered = try #require(explained.lines.first { $0.contains("region.entered") })
        let event = try JSONDocument(parsing: entered).root
        #expect(event["why"]?["rule"]?.string == "containment")
        #expect(event["why"]?["distance"]?.double ?? 0 < 0)
        let text = try Program.run("watch", "--regions", "Regions", "--output", "text", "--time-zone", "UTC", Self.day)
        #expect(text.output.hasPrefix("Friday, 6 March 2026 (times of GMT)\n"))
        #expect(!text.output.contains("\u{1B}["))
    }
}

@Suite("fencepost locate") struct LocateTests {
    @Test("prints the regions of each location, also without a time")
    func locates() throws {
        let points = """
            {"lat":38.7105,"lon":-9.1395}
            {"lat":38.71054,"lon":-9.139}
            {"lat":91,"lon":0}
            {"lat":-16.85,"lon":180,"time":"2026-03-01T00:00:00Z"}
            {"lat":0,"lon":0}
            """
        let result = try Program.run("locate", "--regions", "Regions", "-", input: points)
        #expect(
            result.lines == [
                #"{"index":0,"regions":["air-corridor","office","old-town"]}"#,
                #"{"index":1,"regions":["air-corridor","old-town"]}"#,
                #"{"index":3,"regions":["meridian-marker","taveuni"]}"#, #"{"index":4,"regions":[]}"#,
            ])
        #expect(result.status == 0)
    }
}

@Suite("fencepost check") struct CheckTests {
    @Test("finds no problem in the samples")
    func samples() throws {
        #expect(try Program.run("check", "Regions").status == 0)
    }

    @Test("finds all problems of regions, of a configuration file, and of the files that it names")
    func problems() throws {
        let folder = try TemporaryFolder()
        let open = #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}"#
        let dwell = #""properties":{"dwel":5,"radius":-1}"#
        _ = try folder.file(
            "bad.geojson",
            #"{"type":"FeatureCollection","features":[{"type":"Feature","id":"a","properties":{},"geometry":\#(open)},"#
                + #"{"type":"Feature","id":"b",\#(dwell),"geometry":{"type":"Point","coordinates":[0,0]}}]}"#)
        _ = try folder.file("app.json", #"{"id":"a","services":["visits"],"given":{"grant":"often"}}"#)
        let config = try folder.file(
            "config.json", #"{"regions":["bad.geojson"],"monitor":{"stale":1},"apps":["app.json"]}"#)
        let result = try Program.run("check", "--json", config)
        #expect(result.status == 1)
        let found = try result.lines.map { try JSONDocument(parsing: $0).root }
        let pointers = found.compactMap { $0["pointer"]?.string }
        #expect(pointers.contains("/monitor/stale"))
        #expect(pointers.contains("/given/grant"))
        #expect(pointers.contains { $0.hasPrefix("/features/0/geometry/coordinates/0") })
        #expect(pointers.contains("/features/1/properties/radius"))
        #expect(
            found.contains { $0["severity"]?.string == "warning" && $0["message"]?.string?.contains("dwell") == true })
    }
}

@Suite("fencepost diff and report") struct HistoryTests {
    @Test("finds no difference between a configuration and itself, and the events of a removed region")
    func difference() throws {
        let same = try Program.run("diff", "--before", "Regions", "--after", "Regions", WatchTests.day)
        #expect(same.output.isEmpty)
        let fewer = try Program.run(
            "diff", "--before", "Regions", "--after", "Regions/antimeridian.geojson", "--crossing", "raw", "--visits",
            "off",
            WatchTests.day)
        let watched = try Program.run(
            "watch", "--regions", "Regions/city.geojson", "--crossing", "raw", "--visits", "off", WatchTests.day)
        let crossings = watched.lines.filter { $0.contains("\"region.") }
        #expect(fewer.lines.count == crossings.count)
        #expect(fewer.lines.allSatisfy { $0.hasPrefix(#"{"change":"lost","before":{"#) })
    }

    @Test("counts the seconds between entry and exit, split at midnight of the time zone")
    func report() throws {
        let folder = try TemporaryFolder()
        let region = try folder.file(
            "r.geojson",
            #"{"type":"Feature","id":"r","properties":{"radius":100,"notifyOnEntry":false,"initialState":"silent"},"#
                + #""geometry":{"type":"Point","coordinates":[0,0]}}"#)
        let fixes = ["2026-03-01T10:00:00Z,0,0", "2026-03-01T16:00:00Z,0,0", "2026-03-01T17:00:00Z,1,0"]
        let result = try Program.run(
            "report", "--regions", region, "--crossing", "raw", "--visits", "off", "--output", "csv", "--time-zone",
            "Asia/Seoul", "--format", "csv", "-", input: "time,lat,lon\n" + fixes.joined(separator: "\n") + "\n")
        #expect(
            result.output == """
                deviceId,day,regionId,seconds,visits,kind
                default,2026-03-01,r,18000,0,region
                default,2026-03-02,r,7200,0,region

                """)
    }
}
