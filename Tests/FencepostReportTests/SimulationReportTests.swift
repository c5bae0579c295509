import FencepostGeometry
import FencepostModel
import FencepostReport
import FencepostSimulator
import Foundation
import FoundationXML
import Testing

@Suite("A report of simulations") struct SimulationReportTests {
    /// A name that would become markup wherever it is not escaped.
    static let hostile = #"</script></svg><img src=x onerror="alert('1')">&lt;\#u{0}\#u{202E}"#

    static func region(_ id: String, _ shape: Shape) -> Region { Region(id: RegionID(id), shape: shape) }

    static func polygon(_ west: Double, _ south: Double, _ size: Double) -> LinearRing {
        LinearRing(
            [(0.0, 0.0), (1, 0), (1, 1), (0, 1), (0, 0)].map {
                Coordinate(latitude: south + $0.1 * size, longitude: west + $0.0 * size)
            })
    }

    /// Across the antimeridian, past a polygon with a hole, a corridor and a circle.
    static let regions = [
        region(
            "square",
            .polygons(
                MultiPolygon([
                    Polygon(exterior: polygon(179.98, -16.82, 0.01), interiors: [polygon(179.983, -16.817, 0.002)])
                ]))),
        region(
            "road",
            .corridor(
                Corridor(
                    lines: [
                        [
                            Coordinate(latitude: -16.8, longitude: 179.99),
                            Coordinate(latitude: -16.8, longitude: -179.98),
                        ]
                    ], width: 80))),
        region(hostile, .circle(Circle(center: Coordinate(latitude: -16.81, longitude: -179.99), radius: 150))),
    ]

    static let track = (0..<60).map { minute in
        let longitude = 179.975 + Double(minute) * 0.001
        return Location(
            deviceID: DeviceID("d"), timestamp: Timestamp(seconds: 1_772_780_400 + Int64(minute) * 60),
            coordinate: Coordinate(latitude: -16.812, longitude: longitude > 180 ? longitude - 360 : longitude))
    }

    static func entry(expecting expected: String = #"{"final":{"launches":99}}"#) throws -> SimulationReport.Entry {
        var text = """
            {"name":NAME,"given":{"osVersion":"17.4","infoPlist":["NSLocationWhenInUseUsageDescription:a",
              "NSLocationAlwaysAndWhenInUseUsageDescription:b"]},"expect":\(expected),
             "steps":[{"do":"request","level":"always","at":"2026-03-06T07:00:00Z"},
              {"do":"answer","choice":"allowWhileUsing"},{"do":"request","level":"always"},
              {"do":"start","service":"regionCircular","identifier":NAME,"deviceInside":true},
              {"do":"enterBackground"},{"do":"wait","seconds":30},
              {"do":"event","service":"regionCircular","kind":"exit","identifier":NAME,"at":"2026-03-06T07:20:00Z"},
              {"do":"systemShowsSecondPrompt"},{"do":"answer","choice":"changeToAlwaysAllow"},
              {"do":"terminate","by":"user"},
              {"do":"event","service":"regionCircular","kind":"enter","identifier":NAME,"at":"2026-03-06T07:50:00Z"}]}
            """
        let name = try String(decoding: JSONEncoder().encode(hostile), as: UTF8.self)
        text = text.replacing("NAME", with: name)
        let (file, diagnostics) = ScenarioReader(file: nil).scenarios(text.utf8)
        #expect(diagnostics.isEmpty, "\(diagnostics)")
        let scenario = try #require(file).scenarios[0]
        return SimulationReport.Entry(
            scenario, outcome: ScenarioRunner().run(scenario), track: track, regions: regions)
    }

    /// Every scenario of the simulator's own tests.
    static func corpus() throws -> [SimulationReport.Entry] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../FencepostSimulatorTests/Scenarios").standardizedFileURL
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter {
            $0.hasSuffix(".json")
        }.flatMap { name in
            let path = folder.appending(path: name).path
            return try #require(ScenarioReader(file: path).scenarios(try Data(contentsOf: URL(filePath: path))).0)
                .scenarios.map { SimulationReport.Entry($0, outcome: ScenarioRunner().run($0)) }
        }
    }

    @Test("is well-formed, refers to nothing outside, and every link in it leads somewhere") func isWhole() throws {
        for entries in [[], [try Self.entry()], try Self.corpus()] {
            let page = try PageOutline(SimulationReport.html(for: entries))
            #expect(page.references.filter { !$0.hasPrefix("#") }.isEmpty)
            #expect(Set(page.references.map { String($0.dropFirst()) }).subtracting(page.ids).isEmpty)
            #expect(Set(page.ids).count == page.ids.count, "an id is there twice")
            #expect(page.names.isDisjoint(with: ["img", "link", "iframe", "object", "embed", "base", "form"]))
            #expect(page.handlers.isEmpty)
        }
    }

    @Test("has one script and no address of a network", arguments: [true, false]) func asksNobody(ofAll: Bool) throws {
        let html = SimulationReport.html(for: ofAll ? try Self.corpus() : [try Self.entry()])
        #expect(html.components(separatedBy: "<script").count == 2)
        for word in ["http://", "https://", "url(", "@import", "src="] {
            // A hostile name is text; an attribute would have its quotes.
            #expect(!html.replacing("img src=x onerror", with: "").contains(word), "\(word)")
        }
    }

    @Test("has a row, a column and, for each event, a mark on the map for every step") func showsEveryStep() throws {
        let entry = try Self.entry()
        let page = try PageOutline(SimulationReport.html(for: [entry]))
        for index in entry.scenario.steps.indices { #expect(page.ids.contains("s0-step-\(index)")) }
        #expect(page.classes.count { $0.contains("tick") } == entry.scenario.steps.count + 1)
        #expect(entry.outcome.deliveries.map(\.outcome) == [.held, .delivered])
        #expect(page.classes.count { $0 == ["event"] } == entry.outcome.deliveries.count)
        for (index, other) in try Self.corpus().enumerated() where !other.scenario.steps.isEmpty {
            let page = try PageOutline(SimulationReport.html(for: [other]))
            #expect(page.ids.count { $0.hasPrefix("s0-step-") } == other.outcome.steps.count, "scenario \(index)")
        }
    }

    @Test("begins with the verdict, and ends with the meaning of the marks") func beginsWithVerdict() throws {
        func start(_ entries: [SimulationReport.Entry]) throws -> String {
            let html = SimulationReport.html(for: entries)
            let header = try #require(html.range(of: "<header class=\"page\">"))
            return String(html[header.upperBound...].prefix(160))
        }
        #expect(
            try start([Self.entry()]).hasPrefix(
                "<h1><span class=\"chip tint-red\">✗ failed</span> The system launched the app once; of 2 events"))
        #expect(try start([Self.entry(), Self.entry()]).hasPrefix("<h1>2 scenarios, 2 failed</h1>"))
        let html = SimulationReport.html(for: [try Self.entry()])
        let main = try #require(html.range(of: "</main>"))
        #expect(html[main.upperBound...].hasPrefix("<footer>") && html[main.upperBound...].contains("no effect"))
    }

    @Test("keeps what comes from input text") func escapes() throws {
        let html = SimulationReport.html(for: [try Self.entry()])
        #expect(!html.contains("<img") && !html.contains("\u{0}") && !html.contains("\u{202E}"))
        let page = try PageOutline(html)
        #expect(page.text.contains(#"</script></svg><img src=x onerror="alert('1')">&lt;"#))
    }

    @Test("marks what did nothing, where the three levels part ways, and what failed, in words") func stressesOdd()
        throws
    {
        let entry = try Self.entry()
        let page = try PageOutline(SimulationReport.html(for: [entry]))
        #expect(entry.outcome.steps[2].report.effect == "none")
        #expect(page.classes.count { $0 == ["nothing"] } == 1, "rows of the table")
        #expect(page.classes.count { $0 == ["tick", "nothing"] } == 1, "columns of the time line")
        // Report, Settings and grant, from the first answer to the last.
        #expect(page.classes.count { $0.contains("misleads") } == 3)
        // The legend explains both signs once.
        #expect(page.text.components(separatedBy: "⊘ no effect").count == 3)
        #expect(page.text.components(separatedBy: "≠ ").count == 5)
        #expect(page.text.contains("✗ failed") && page.text.contains("final.launches"))
        #expect(page.text.contains("The system launched the app once; of 2 events 1 delivered, 1 held"))
        let passing = SimulationReport.html(for: [try Self.entry(expecting: #"{"final":{"launches":1}}"#)])
        #expect(passing.contains("✓ passed") && !passing.contains("✗ failed"))
    }

    @Test("draws nothing torn at the antimeridian: all of it lies in a few kilometres") func staysTogether() throws {
        let page = try PageOutline(SimulationReport.html(for: [try Self.entry()]))
        let track = try #require(page.paths["track"]?.first)
        let numbers = track.split { "MLZHVv ".contains($0) }.compactMap { Double($0) }
        #expect(numbers.count > 20)
        #expect(numbers.allSatisfy { (0...800).contains($0) })
        #expect(page.text.contains("500 m") || page.text.contains("1 km"))
    }

    @Test("is the same every time") func repeats() throws {
        let entry = try Self.entry()
        #expect(SimulationReport.html(for: [entry]) == SimulationReport.html(for: [entry]))
    }
}

/// The elements of a page, read by a strict XML parser.
private final class PageOutline: NSObject, XMLParserDelegate {
    private(set) var ids: [String] = []
    private(set) var references: [String] = []
    private(set) var names: Set<String> = []
    private(set) var classes: [[String]] = []
    private(set) var handlers: [String] = []
    private(set) var paths: [String: [String]] = [:]
    private(set) var text = ""

    struct Malformed: Error { let line: Int }

    init(_ html: String) throws {
        super.init()
        let parser = XMLParser(data: Data(html.utf8))
        parser.delegate = self
        guard parser.parse(), parser.parserError == nil else { throw Malformed(line: parser.lineNumber) }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        names.insert(name)
        if let id = attributes["id"] { ids.append(id) }
        if let reference = attributes["href"] ?? attributes["src"] { references.append(reference) }
        if let style = attributes["class"] {
            classes.append(style.split(separator: " ").map(String.init))
            if let data = attributes["d"] { paths[style, default: []].append(data) }
        }
        handlers += attributes.keys.filter { $0.hasPrefix("on") }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
}
