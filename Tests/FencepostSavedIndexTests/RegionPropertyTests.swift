import FencepostFiles
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import FencepostRegions
import FencepostSavedIndex
import Foundation
import Testing

/// Every property of a region is in each of the places that handle one. `Region`'s own members say which there are.
@Suite("The properties of a region") struct RegionPropertyTests {
    private struct Property: Sendable, CustomTestStringConvertible {
        /// The member of `Region`.
        let member: String
        /// The property in region files; `nil` for what is not among the properties.
        let name: String?
        /// Whether the state of a device depends on it.
        let affectsState: Bool
        let set: @Sendable (inout Region) -> Void

        init(
            _ member: String, _ name: String?, affectsState: Bool = false,
            _ set: @escaping @Sendable (inout Region) -> Void
        ) {
            (self.member, self.name, self.affectsState, self.set) = (member, name, affectsState, set)
        }

        var testDescription: String { member }
    }

    private static let schedule = Schedule(timeZone: "Europe/Lisbon", weekly: ["Mon-Fri 08:00-18:30"], except: [])

    private static let properties = [
        Property("id", nil) { $0.id = RegionID("other") },
        Property("shape", nil, affectsState: true) {
            $0.shape = .circle(Circle(center: Coordinate(latitude: 1, longitude: 2), radius: 70))
        },
        Property("name", "name") { $0.name = "Ä" },
        Property("tags", "tags") { $0.tags = ["a", "b"] },
        Property("notifyOnEntry", "notifyOnEntry") { $0.notifyOnEntry = false },
        Property("notifyOnExit", "notifyOnExit") { $0.notifyOnExit = false },
        Property("dwells", "dwell", affectsState: true) { $0.dwells = [.seconds(90)] },
        Property("initialState", "initialState") { $0.initialState = .silent },
        Property("crossing", "crossing", affectsState: true) { $0.crossing = .coreLocation },
        Property("schedule", "schedule", affectsState: true) { $0.schedule = schedule },
        Property("devices", "devices", affectsState: true) { $0.devices = [GlobPattern("a*")] },
        Property("minAltitude", "minAltitude", affectsState: true) { $0.minAltitude = 1.5 },
        Property("maxAltitude", "maxAltitude", affectsState: true) { $0.maxAltitude = 2.5 },
        Property("expires", "expires", affectsState: true) {
            $0.expires = Timestamp(milliseconds: 1_900_000_000_000)
        },
        Property("speedLimit", "speedLimit") { $0.speedLimit = SpeedLimit(50) },
        Property("metadata", "metadata") { $0.metadata = JSONText(#"{"k":1}"#) },
        // What Fencepost does not interpret stays as it is.
        Property("otherProperties", nil) { $0.otherProperties = JSONText(#"{"color":"red"}"#) },
    ]

    private static let plain = Region(
        id: RegionID("r"), shape: .circle(Circle(center: Coordinate(latitude: 3, longitude: 4), radius: 50)))

    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    private static func text(of file: String) throws -> String {
        try String(contentsOf: package.appending(path: file), encoding: .utf8)
    }

    @Test("are all in this table") func complete() {
        let members = Mirror(reflecting: Self.plain).children.compactMap(\.label)
        #expect(
            Set(members) == Set(Self.properties.map(\.member)),
            "give the new property a row here, and make the tests of the row pass")
        #expect(members.count == Self.properties.count)
    }

    @Test("survive a region file", arguments: properties) private func written(property: Property) throws {
        var region = Self.plain
        property.set(&region)
        #expect(region != Self.plain)
        var writer = JSONWriter()
        writer.value(region)
        let reading = RegionFile.read(writer.bytes, options: RegionOptions())
        #expect(reading.regions == [region] && reading.diagnostics.allSatisfy { $0.severity != .error })
        guard let name = property.name else { return }
        #expect(try JSONDocument(parsing: writer.bytes).root["properties"]?[name] != nil)
    }

    @Test("survive the saved index", arguments: properties) private func saved(property: Property) throws {
        var set = RegionSet()
        set.regions = [Self.plain]
        property.set(&set.regions[0])
        #expect(try SavedFiles().save(set).index.catalog.regions.map(\.region) == set.regions)
    }

    @Test("say whether a device's state depends on them", arguments: properties) private func state(property: Property)
    {
        var region = Self.plain
        property.set(&region)
        #expect(Self.plain.sharesDeviceState(with: region) != property.affectsState)
    }

    @Test("are in the schema, the editor of the page and the reference", arguments: properties)
    private func described(property: Property) throws {
        guard let name = property.name else { return }
        let schema = try Self.text(of: "Sources/FencepostServer/OpenAPI/RequestSchemas.swift")
        // A schema cannot say what is in some of them, and its text does.
        #expect(schema.contains("\"\(name)\":") || schema.contains("\(name): at most"))
        let editor = try Self.text(of: "Sources/FencepostPage/Web/regions/fields.js")
        #expect(editor.contains("{ name: \"\(name)\","))
        let reference = try Self.text(of: "docs/reference/regions.md")
        #expect(reference.contains("`\(name)`"))
    }
}
