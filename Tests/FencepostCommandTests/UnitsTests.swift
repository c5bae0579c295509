import Foundation
import Testing

@Suite("--units") struct UnitsTests {
    private static let files = ["--regions", "Regions", WatchTests.day]

    private static func text(_ arguments: [String], _ files: [String] = files) throws -> String {
        let result = try Program.run(arguments + ["--output", "text", "--quiet"] + files, input: Data())
        #expect(result.status == 0, "\(result.errors.prefix(300))")
        return result.output
    }

    /// Commands, with a distance or a speed of the sample day in both systems.
    @Test(
        "are those of text output, metric by default",
        arguments: [
            (["watch"], ["± 16 m"], ["± 53 ft"]),
            (
                ["watch", "--explain"], ["m inside the boundary", "accuracy 6 m"],
                ["ft inside the boundary", "accuracy 20 ft"]
            ),
            (["trips"], [" km ", "km/h"], [" mi ", "mph"]),
            (["report"], ["half within", " m or better"], ["half within", " ft or better"]),
            (["report", "--by", "device"], [" km\n"], [" mi\n"]),
        ])
    func text(command: [String], metric: [String], imperial: [String]) throws {
        let plain = try Self.text(command)
        for part in metric { #expect(plain.contains(part), "\(part) in \(plain.prefix(2000))") }
        #expect(try Self.text(command + ["--units", "metric"]) == plain)
        let other = try Self.text(command + ["--units", "imperial"])
        for part in imperial { #expect(other.contains(part), "\(part) in \(other.prefix(2000))") }
        for unit in [" km", " m\n", " m,"] { #expect(!other.contains(unit)) }
        #expect(plain.split(separator: "\n").count == other.split(separator: "\n").count)
    }

    @Test(
        "change no other output",
        arguments: [
            ["watch", "--output", "ndjson"], ["watch", "--output", "geojson"], ["trips", "--output", "csv"],
            ["trips", "--output", "json"], ["report", "--output", "json"],
            ["report", "--by", "device", "--output", "csv"],
            ["suggest", "--output", "json"],
        ])
    func others(command: [String]) throws {
        let plain = try Program.run(command + Self.files, input: Data())
        #expect(plain.status == 0 && !plain.output.isEmpty)
        #expect(try Program.run(command + ["--units", "imperial"] + Self.files, input: Data()).output == plain.output)
    }

    @Test("are those of the configuration without the option, and the option comes first")
    func configuration() throws {
        let folder = try TemporaryFolder()
        let config = try folder.file("c.json", #"{"units":"imperial"}"#)
        let files = ["--config", config] + Self.files
        #expect(try Self.text(["trips"], files).contains("mph"))
        #expect(try Self.text(["trips", "--units", "metric"], files).contains("km/h"))
        let wrong = try folder.file("w.json", #"{"units":"nautical"}"#)
        let result = try Program.run(["trips", "--config", wrong] + Self.files, input: Data())
        #expect(result.status == 78 && result.errors.contains(#"one of "metric", "imperial""#), "\(result.errors)")
        #expect(try Program.run(["trips", "--units", "miles"] + Self.files, input: Data()).status == 64)
    }

    @Test("are those of alerts and of messages")
    func alerts() throws {
        let folder = try TemporaryFolder()
        let config = try folder.file(
            "c.json",
            #"{"monitor":{"alerts":[{"type":"speed","above":"80 km/h","for":0},{"type":"silent","above":3600}]},"#
                + #""endpoints":[{"id":"a","kind":"ntfy","url":"https://ntfy.example.org/a"}]}"#)
        let lines = [0, 30, 9030].map { second in
            #"{"deviceId":"van","timestamp":\#(1_772_000_000 + second),"latitude":48,"longitude":2,"speed":30}"# + "\n"
        }.joined()
        let track = try folder.file("track.ndjson", lines)
        let files = ["--config", config, track]
        let metric = try Self.text(["watch", "--visits", "on"], files)
        #expect(metric.contains("speed 108 km/h, limit 80 km/h") && metric.contains("silent, limit 1 h"))
        #expect(metric.contains("silent 2 h 30 min, limit 1 h"))
        let imperial = try Self.text(["watch", "--units", "imperial"], files)
        #expect(imperial.contains("speed 67.1 mph, limit 49.7 mph"))
        #expect(try Self.text(["notify", "--dry-run"], files).contains("Van drives 108 km/h; 80 km/h is the limit"))
        let messages = try Self.text(["notify", "--dry-run", "--units", "imperial"], files)
        #expect(messages.contains("Van drives 67 mph; 50 mph is the limit"))
        #expect(
            messages.contains("Van has sent no location for 1 h")
                && messages.contains("reporting again after 2 h 30 min"))
    }
}
