import FencepostGeometry
import FencepostPage
import FencepostSimulator
import Foundation
import Testing

@testable import FencepostReport

@Suite("The palette of the page and of reports") struct PaletteTests {
    /// The relative luminance of WCAG 2.2.
    static func luminance(_ hex: String) throws -> Double {
        let number = try #require(Int(hex.dropFirst(), radix: 16))
        let parts = [16, 8, 0].map { shift -> Double in
            let value = Double((number >> shift) & 0xFF) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    static func contrast(_ a: String, _ b: String) throws -> Double {
        let (first, second) = (try luminance(a), try luminance(b))
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }

    @Test("agrees with the ratio of black on white") func isRight() throws {
        #expect(try Self.contrast("#000000", "#ffffff") == 21)
    }

    /// The opaque colours of a sheet, by name.
    static func colors(dark: Bool) throws -> [String: String] {
        var colors: [String: String] = [:]
        for path in ["style/tokens.css", "drawing/state-colors.css"] {
            let sheet = try #require(PageFile.named(path)).text
            let parts = sheet.split(separator: #":root[data-theme="dark"]"#)
            try #require(parts.count == 2, "\(path)")
            for part in dark ? parts : [parts[0]] {
                for found in part.matches(of: /--([a-z-]+): (#[0-9a-f]{6});/) {
                    colors[String(found.output.1)] = String(found.output.2)
                }
            }
            let names = { (part: Substring) in Set(part.matches(of: /--([a-z-]+): #/).map { String($0.output.1) }) }
            #expect(names(parts[0]) == names(parts[1]), "each colour has a light and a dark one")
        }
        return colors
    }

    @Test("lets every word be read in light and in dark: 4.5 to 1", arguments: [false, true])
    func words(dark: Bool) throws {
        let colors = try Self.colors(dark: dark)
        for ink in ["ink", "muted", "accent", "mark", "warn", "launch", "bad", "good"] {
            for ground in ["ground", "panel", "card"] {
                let ratio = try Self.contrast(try #require(colors[ink]), try #require(colors[ground]))
                #expect(ratio >= 4.5, "\(ink) on \(ground)")
            }
        }
        let ink = try #require(colors["ink"])
        for (name, tint) in colors where name.hasSuffix("-tint") {
            #expect(try Self.contrast(ink, tint) >= 4.5, "ink on \(name)")
        }
        #expect(colors.keys.count { $0.hasSuffix("-tint") } >= Tone.allCases.count + 3)
    }

    @Test("distinguishes shapes from the background: 3 to 1", arguments: [false, true])
    func shapes(dark: Bool) throws {
        let colors = try Self.colors(dark: dark)
        for strong in Tone.allCases.map(\.rawValue) + ["region", "track", "visit", "device", "focus"] {
            for ground in ["ground", "panel", "card", "sea"] {
                let ratio = try Self.contrast(try #require(colors[strong]), try #require(colors[ground]))
                #expect(ratio >= 3, "\(strong) on \(ground)")
            }
        }
    }

    @Test("has a tint and a strong colour for every tone, and a class of both") func isComplete() throws {
        let colors = try Self.colors(dark: false)
        let sheet = try #require(PageFile.named("drawing/state-colors.css")).text
        for tone in Tone.allCases {
            #expect(colors[tone.rawValue] != nil && colors["\(tone.rawValue)-tint"] != nil)
            #expect(sheet.contains(".tint-\(tone.rawValue) {"))
        }
    }
}

@Suite("What reports share with the map page") struct SharedDrawingTests {
    @Test("is in a report as it is in the page, the dark colours where the system is dark") func isThere() throws {
        let html = SimulationReport.html(for: [])
        for path in ["drawing/lanes.css", "drawing/linked-highlight.js"] {
            #expect(html.contains(try #require(PageFile.named(path)).text), "\(path)")
        }
        #expect(!html.contains("data-theme"))
        #expect(html.components(separatedBy: "@media (prefers-color-scheme: dark) { :root {").count == 3)
    }

    @Test("has no character that XML would have escaped") func isPlain() {
        for text in [SharedDrawing.style, SharedDrawing.script] {
            #expect(!text.contains { "<&".contains($0) } && !text.contains("]]>"))
        }
    }

    @Test("has a mark for every outcome, which both call by the same words") func outcomes() throws {
        let words = try #require(PageFile.named("english/apps.js")).text
        for outcome in Delivery.Outcome.allCases {
            #expect(SharedDrawing.outcomeMarks.contains(#"<symbol id="mark-\#(outcome.rawValue)""#))
            #expect(words.contains(#"\#(outcome.rawValue): "\#(OutcomeMark.words(outcome))""#))
            #expect(words.contains(#"\#(outcome.rawValue): "\#(OutcomeMark.meaning(outcome))""#))
        }
    }
}

@Suite("Words") struct WordsTests {
    @Test(
        "say spans in two units",
        arguments: [(0, "0 s"), (45, "45 s"), (3600, "1 h"), (4830, "1 h 20 min"), (90_061, "1 d 1 h")])
    func spans(seconds: Int, words: String) {
        #expect(Words.span(.seconds(seconds)) == words)
    }

    @Test("say numbers with one digit", arguments: [(1, "1"), (-0.04, "0"), (12.36, "12.4"), (-7.5, "-7.5")])
    func numbers(value: Double, words: String) {
        #expect(Words.number(value) == words)
    }
}

@Suite("The projection of maps") struct MapProjectionTests {
    @Test("has a bar of a round number that is no longer than a quarter", arguments: [1e-4, 0.003, 0.2, 40])
    func scale(degrees: Double) throws {
        let corners = [(50.0, 8.0), (50 + degrees, 8 + degrees)].map { Coordinate(latitude: $0.0, longitude: $0.1) }
        let projection = try #require(MapProjection(fitting: corners, width: 800, tallest: 560, margin: 40))
        let (meters, units) = projection.scaleBar
        #expect((800.0 / 4 / 2.5 - 1...800.0 / 4).contains(units))
        let lead = meters / pow(10, floor(log10(meters)))
        #expect([1, 2, 5].contains { abs($0 - lead) < 1e-9 })
    }

    @Test("is as far apart as the places are on the ground, to one percent in a city") func distances() throws {
        let corners = [(48.0, 16.0), (48.1, 16.2)].map { Coordinate(latitude: $0.0, longitude: $0.1) }
        let projection = try #require(MapProjection(fitting: corners, width: 800, tallest: 560, margin: 40))
        let drawn = projection(corners[0]).distance(to: projection(corners[1])) * projection.metersPerUnit
        let real = Geodesic.distance(corners[0], corners[1])
        #expect(abs(drawn - real) < real * 0.01)
    }
}
