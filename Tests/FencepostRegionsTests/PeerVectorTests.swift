import FencepostGEOS
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostRegionFiles
import FencepostRegions
import FencepostTesting
import Foundation
import Testing

/// Test vectors of other libraries about documents, validity and points in polygons.
@Suite("Region files and other libraries' vectors", .enabled(if: SharedData.isPresent, "the shared data is missing"))
struct PeerVectorTests {
    static func cases(_ file: String, _ member: String = "cases") throws -> [JSONElement] {
        let document = try JSONDocument(parsing: Data(contentsOf: SharedData.file("peers/\(file).json")))
        return try Array(#require(document.root[member]?.array))
    }

    /// A file of one region with the given geometry.
    static func read(geometry: JSONElement) -> RegionFile.Reading {
        read("{\"type\":\"Feature\",\"id\":\"r\",\"properties\":{},\"geometry\":\(geometry.text)}")
    }

    static func read(_ text: String) -> RegionFile.Reading { RegionFile.read(Array(text.utf8)) }

    @Test("reject bad documents with a position, and read good ones or report what is not supported")
    func lintFixtures() throws {
        var verdicts: Set<String> = []
        for vector in try Self.cases("geojson_lint_fixtures") {
            let name = try #require(vector["id"]?.string)
            let reading = Self.read(try #require(vector["text"]?.string))
            let verdict = try #require(vector["suggested_verdict"]?.string)
            verdicts.insert(verdict)
            let errors = reading.diagnostics.filter { $0.severity == .error }
            switch verdict {
            case "must_reject":
                #expect(!errors.isEmpty && reading.regions.isEmpty, "\(name)")
                #expect(errors.allSatisfy { $0.position != .file }, "\(name)")
            case "must_parse":
                // GeoJSON that is no region is rejected, but never as invalid GeoJSON.
                let refusals: Set = [
                    "missing_id", "not_a_feature", "unsupported_geometry", "missing_radius", "missing_width",
                    "missing_geometry",
                ]
                let unexpected = errors.filter { !refusals.contains($0.code) }
                #expect(unexpected.isEmpty, "\(name): \(unexpected.map(\.description))")
            default: break  // only that it does not crash
            }
        }
        #expect(verdicts == ["must_reject", "must_parse", "either"])
    }

    @Test("agree with GEOS about validity")
    func validity() throws {
        var counts = [true: 0, false: 0]
        for vector in try Self.cases("geos_region_validity") {
            let name = try #require(vector["id"]?.string)
            let valid = try #require(vector["expect"]?["valid"]?.bool as Bool?)
            let reading = Self.read(geometry: try #require(vector["region"]))
            #expect((reading.regions.count == 1) == valid, "\(name): \(reading.diagnostics)")
            for diagnostic in reading.diagnostics {
                guard case .pointer(let pointer) = diagnostic.position else {
                    Issue.record("\(name): \(diagnostic) has no pointer")
                    continue
                }
                #expect(pointer.hasPrefix("/geometry"), "\(name)")
            }
            counts[valid, default: 0] += 1
        }
        #expect(counts[true, default: 0] > 250 && counts[false, default: 0] > 40)
    }

    @Test("agree about points in polygons", arguments: ["geos_point_in_region", "tg_relations"])
    func pointsInRegions(file: String) throws {
        var asked = 0
        for vector in try Self.cases(file) {
            guard let region = vector["region"], let subject = vector["subject"],
                region["type"]?.string?.hasSuffix("Polygon") == true,
                let covered = vector["expect"]?["covered_by"]?.bool ?? vector["expect"]?["intersects"]?.bool
            else { continue }
            let points: [JSONElement]
            switch subject["type"]?.string {
            case "Point": points = [try #require(subject["coordinates"])]
            case "MultiPoint" where vector["expect"]?["covered_by"] != nil:
                points = Array(try #require(subject["coordinates"]?.array))
            default: continue
            }
            let reading = Self.read(geometry: region)
            guard !reading.regions.isEmpty else { continue }  // invalid on purpose, reported by another test
            var query = RegionQuery(RegionIndex(RegionCatalog(reading.regions)))
            var all = !points.isEmpty
            for point in points {
                let numbers = (point.array.map { Array($0) } ?? []).compactMap(\.double)
                guard numbers.count >= 2 else { continue }
                let coordinate = Coordinate(latitude: numbers[1], longitude: numbers[0])
                all = try !query.covering(coordinate).isEmpty && all
            }
            #expect(all == covered, "\(vector["id"]?.string ?? "")")
            asked += 1
        }
        #expect(asked > (file == "tg_relations" ? 5 : 20))
    }

    @Test("agree with Turf about boundary, interior and exterior")
    func turf() throws {
        for vector in try Self.cases("turf_point_in_polygon") {
            let reading = Self.read(geometry: try #require(vector["region"]))
            let point = try #require(vector["point"]?.array).compactMap(\.double)
            let expected = try #require(vector["expect"]?["where"]?.string)
            // One of them has a polygon inside another, which regions may not have.
            guard reading.diagnostics.first?.code != "nested_shells" else { continue }
            #expect(reading.regions.count == 1, "\(reading.diagnostics)")
            var query = RegionQuery(RegionIndex(RegionCatalog(reading.regions)))
            let coordinate = Coordinate(latitude: point[1], longitude: point[0])
            #expect(
                try query.covering(coordinate).isEmpty == (expected == "exterior"), "\(vector["id"]?.string ?? "")")
        }
    }

    @Test("agree with Turf about valid and invalid polygons")
    func turfValidity() throws {
        var asked = 0
        for vector in try Self.cases("turf_point_in_polygon", "validity_cases") {
            guard let text = vector["geojson"]?.text, let valid = vector["expect"]?["valid"]?.bool else { continue }
            let reading = Self.read(
                text.replacing("\"type\":\"Feature\",", with: "\"type\":\"Feature\",\"id\":\"r\","))
            let codes = Set(reading.diagnostics.filter { $0.severity == .error }.map(\.code))
            let isNoArea = !codes.isDisjoint(with: [
                "missing_radius", "missing_width", "unsupported_geometry", "not_a_feature", "missing_id",
            ])
            guard !isNoArea else { continue }
            #expect(codes.isEmpty == valid, "\(vector["id"]?.string ?? "") \(codes)")
            asked += 1
        }
        #expect(asked > 5)
    }

    @Test("avoid former errors of Tile38")
    func tidwall() throws {
        for vector in try Self.cases("tidwall_geojson_cases", "region_cases") {
            guard let points = vector["points"]?.array, let region = vector["region"],
                region["type"]?.string == "Polygon"
            else {
                continue
            }
            var query = RegionQuery(RegionIndex(RegionCatalog(Self.read(geometry: region).regions)))
            for point in points {
                guard let longitude = point["lon"]?.double, let latitude = point["lat"]?.double,
                    let inside = point["inside"]?.bool
                else { continue }
                let coordinate = Coordinate(latitude: latitude, longitude: longitude)
                #expect(try !query.covering(coordinate).isEmpty == inside, "\(vector["id"]?.string ?? "")")
            }
        }
        for vector in try Self.cases("tidwall_geojson_cases", "parse_cases") {
            // Sometimes stricter than the other library, never more lenient about JSON or nesting.
            guard vector["expect"]?["accepted"]?.bool == false else { continue }
            let reading = Self.read(try #require(vector["text"]?.string))
            #expect(reading.diagnostics.contains { $0.severity == .error }, "\(vector["id"]?.string ?? "")")
        }
    }
}
