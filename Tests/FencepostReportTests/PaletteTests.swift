import FencepostGeometry
import Foundation
import Testing

@testable import FencepostReport

@Suite("The palette of reports") struct PaletteTests {
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

    @Test("lets every word be read in light and in dark: 4.5 to 1", arguments: [false, true])
    func words(dark: Bool) throws {
        let mode = dark ? \Palette.Swatch.dark : \.light
        for ink in Palette.inks {
            for ground in Palette.grounds {
                #expect(
                    try Self.contrast(ink[keyPath: mode], ground[keyPath: mode]) >= 4.5, "\(ink.name) on \(ground.name)"
                )
            }
        }
        let ink = try #require(Palette.inks.first { $0.name == "ink" })
        for tint in Palette.tints {
            #expect(try Self.contrast(ink[keyPath: mode], tint[keyPath: mode]) >= 4.5, "ink on \(tint.name)")
        }
    }

    @Test("lets shapes be told from the ground: 3 to 1", arguments: [false, true])
    func shapes(dark: Bool) throws {
        let mode = dark ? \Palette.Swatch.dark : \.light
        for strong in Palette.strong where strong.name != "line" {
            for ground in Palette.grounds {
                #expect(try Self.contrast(strong[keyPath: mode], ground[keyPath: mode]) >= 3, "\(strong.name)")
            }
        }
    }

    @Test("has a tint and a strong colour for every tone") func isComplete() {
        for tone in Tone.allCases {
            #expect(Palette.strong.contains { $0.name == tone.rawValue })
            #expect(Palette.tints.contains { $0.name == "\(tone.rawValue)-tint" })
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
