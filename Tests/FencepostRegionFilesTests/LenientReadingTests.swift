import FencepostModel
import FencepostRegionFiles
import Testing

@Suite("Region files as other programs write them") struct LenientReadingTests {
    private static func read(_ features: [String], _ options: RegionOptions = RegionOptions()) -> RegionFile.Reading {
        let text = #"{"type":"FeatureCollection","features":["# + features.joined(separator: ",") + "]}"
        return RegionFile.read(Array(text.utf8), options: options)
    }

    private static func feature(_ properties: String, longitude: Int = 1) -> String {
        #"{"type":"Feature","properties":{\#(properties)},"geometry":{"type":"Point","coordinates":[\#(longitude),2]}}"#
    }

    @Test(
        "have ids made of names",
        arguments: [
            ("Café Nord, 2", "café-nord-2"), ("  Hof  ", "hof"), ("東京", "東京"), ("Cafe\u{301}", "café"),
        ])
    func derived(_ name: String, _ id: String) {
        let reading = Self.read([Self.feature(#""name":"\#(name)","radius":5"#)])
        #expect(reading.regions.map(\.id.rawValue) == [id])
        #expect(reading.diagnostics.map(\.code) == ["derived_id"])
    }

    @Test("keep their ids when they are reordered, and are distinct where names are equal")
    func reordered() {
        let features = [
            Self.feature(#""name":"Shop","radius":5"#), Self.feature(#""name":"Shop","radius":5"#, longitude: 3),
            Self.feature(#""name":"Home","radius":5"#),
        ]
        let ids = Self.read(features).regions.map(\.id)
        #expect(Set(ids).count == 3 && ids[2].rawValue == "home")
        #expect(ids[0].rawValue.hasPrefix("shop-") && ids[0].rawValue.count == 13)
        #expect(Self.read(features.reversed()).regions.map(\.id) == ids.reversed())
        // The same shape with the same name is the same region.
        #expect(Self.read([features[0], features[0]]).diagnostics.contains { $0.code == "duplicate_id" })
    }

    @Test("have no id without a name of letters or digits")
    func nameless() {
        let reading = Self.read([Self.feature(#""name":"!?","radius":5"#), Self.feature(#""radius":5"#)])
        #expect(reading.regions.isEmpty)
        #expect(reading.diagnostics.map(\.code) == ["missing_id", "missing_id"])
    }

    @Test("have values of other types, with a warning")
    func values() {
        let reading = Self.read([
            Self.feature(#""id":"a","name":7,"tags":" a; b ,c;","radius":"150","minAltitude":"-2.5""#)
        ])
        let region = reading.regions.first
        #expect(region?.name == "7")
        #expect(region?.tags == ["a", "b ,c"])
        #expect(region?.minAltitude == -2.5)
        #expect(reading.diagnostics.map(\.code) == Array(repeating: "read_leniently", count: 4))
        let bad = Self.read([Self.feature(#""id":"a","radius":"1e999""#), Self.feature(#""id":"b","radius":"5 m""#)])
        #expect(bad.regions.isEmpty && bad.diagnostics.map(\.code) == ["wrong_type", "wrong_type"])
    }

    @Test("have many equal errors listed once, with their number")
    func folded() {
        let many = Self.read((0..<500).map { Self.feature(#""id":"r\#($0)""#) })
        #expect(many.regions.isEmpty)
        #expect(many.diagnostics.count == 1)
        #expect(many.diagnostics.first?.message.hasSuffix("This applies to 500 places; this is the first.") == true)
        #expect(Self.read((0..<3).map { Self.feature(#""id":"r\#($0)""#) }).diagnostics.count == 3)
    }
}
