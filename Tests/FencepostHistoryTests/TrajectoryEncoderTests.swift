import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostService
import Testing

@testable import FencepostHistory

@Suite("Moving Features JSON") struct TrajectoryEncoderTests {
    private func location(_ device: String, _ seconds: Int, speed: Double? = nil, isAhead: Bool = false)
        -> StoredLocation
    {
        var location = Location(
            deviceID: DeviceID(device), timestamp: Timestamp(seconds: 1_772_000_000 + Int64(seconds)),
            coordinate: Coordinate(latitude: 48 + Double(seconds) / 1000, longitude: 2))
        location.speed = speed
        return StoredLocation(location, isAhead: isAhead)
    }

    private func document(_ batches: [[StoredLocation]]) throws -> JSONElement {
        var file = try ExportFile(.locations, .mfJSON)
        var bytes = file.begin()
        for batch in batches { bytes += try file.append(.locations(batch)) }
        bytes += try file.finish()
        return try JSONDocument(parsing: bytes).root
    }

    @Test("has a feature for each device, also over several batches") func devices() throws {
        let root = try document([
            [location("a", 0), location("a", 1)], [location("a", 2), location("b", 0), location("b", 5)],
        ])
        let features = try #require(root["features"]?.array)
        #expect(features.map { $0["properties"]?["deviceId"]?.string } == ["a", "b"])
        #expect(features.map { $0["temporalGeometry"]?["datetimes"]?.count } == [3, 2])
        #expect(
            features.first { _ in true }?["temporalGeometry"]?["datetimes"]?[0]?.string
                == "2026-02-25T06:13:20.000+00:00")
    }

    @Test("times increase strictly, and a time that is ahead is no part of it") func times() throws {
        let rows = [
            location("a", 0), location("a", 0), location("a", 3), location("a", 2), location("a", 9, isAhead: true),
        ]
        let feature = try #require(try document([rows])["features"]?[0])
        #expect(feature["temporalGeometry"]?["datetimes"]?.count == 2)
        #expect(feature["temporalGeometry"]?["coordinates"]?.count == 2)
    }

    @Test("a measure has the times at which it is known") func measures() throws {
        let rows = [location("a", 0, speed: 1.5), location("a", 1), location("a", 2, speed: 2)]
        let groups = try #require(try document([rows])["features"]?[0]?["temporalProperties"]?.array)
        #expect(groups.count == 1)
        #expect(
            groups.first { _ in true }?["datetimes"]?.count == 2
                && groups.first { _ in true }?["speed"]?["values"]?.count == 2)
        #expect(groups.first { _ in true }?["speed"]?["form"]?.string == "MTS")
    }

    @Test("one location is no trajectory, and none gives a valid document") func few() throws {
        #expect(try document([[location("a", 0)]])["features"]?.count == 0)
        #expect(try document([])["features"]?.count == 0)
    }

    @Test("a long trajectory continues in another feature, and loses no location") func parts() throws {
        let rows = (0..<TrajectoryEncoder.most + 5).map { location("a", $0) }
        let features = try #require(try document([rows])["features"]?.array)
        #expect(features.map { $0["properties"]?["id"]?.string } == ["a", "a#2"])
        #expect(features.map { $0["temporalGeometry"]?["datetimes"]?.count } == [TrajectoryEncoder.most, 5])
    }
}
