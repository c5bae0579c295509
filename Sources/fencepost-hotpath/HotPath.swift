import FencepostEngine
import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel
import FencepostMonitor
import FencepostRegions
import FencepostWorkload
import Foundation

/// Runs one hot path, so that callgrind can count its instructions.
///
/// Preparation is not counted: callgrind counts between the entry of `measuredRun` and its return. It is a program of
/// its own, because callgrind fails at the end of programs with an asynchronous main function.
@main enum HotPath {
    enum Path: String, CaseIterable {
        case locateFences = "locate-fences"
        case locateDistricts = "locate-districts"
        case locateBatch = "locate-at-once"
        case locateManyDistricts = "locate-3500"
        case locateManyDistrictsBatch = "locate-3500-at-once"
        case decode
        case monitorRaw = "monitor-raw"
        case monitorConfirmed = "monitor-confirmed"
        case monitorVisits = "monitor-visits"
        case encode
        case stateDecode = "state-decode"
        case stateEncode = "state-encode"
        case cityRaw1k = "city-1k-raw"
        case cityConfirmed1k = "city-1k-confirmed"
        case cityVisits1k = "city-1k-visits"
        case cityRaw10k = "city-10k-raw"
        case cityConfirmed10k = "city-10k-confirmed"
        case cityVisits10k = "city-10k-visits"
        case cityRaw100k = "city-100k-raw"
        case cityConfirmed100k = "city-100k-confirmed"
        case cityVisits100k = "city-100k-visits"
        case traceHundredth = "trace-1-percent"
        case traceAll = "trace-all"

        /// Whether preparation takes a minute under callgrind; such paths are counted by hand only.
        var isLong: Bool { self == .locateManyDistricts || self == .locateManyDistrictsBatch }
    }

    /// Prepares the input of a path for a number of repetitions.
    ///
    /// - Returns: the work to measure, which returns a checksum.
    static func prepare(_ path: Path, _ count: Int) throws -> () throws -> Int {
        switch path {
        case .locateFences:
            locate(
                points(count, 0.45, 0.45),
                RegionIndex(RegionCatalog(SyntheticRegions.round(2000, in: .init(degrees: 0.45), seed: 1))))
        case .locateDistricts:
            locate(points(count, 0.2, 0.2), RegionIndex(RegionCatalog(SyntheticRegions.districts(100, seed: 1))))
        case .locateBatch:
            locateBatch(points(count, 0.2, 0.2), RegionIndex(RegionCatalog(SyntheticRegions.districts(100, seed: 1))))
        case .locateManyDistricts: locate(points(count, 1.2, 1.8), manyDistricts)
        case .locateManyDistrictsBatch: locateBatch(points(count, 1.2, 1.8), manyDistricts)
        case .decode: decode(count)
        case .monitorRaw: try monitor(count, crossing: .raw, visits: false)
        case .monitorConfirmed: try monitor(count, crossing: .confirmed, visits: false)
        case .monitorVisits: try monitor(count, crossing: .confirmed, visits: true)
        case .encode: try encode(count)
        case .stateDecode: try decodeStates(count)
        case .stateEncode: try encodeStates(count)
        case .cityRaw1k: try city(count, 1000, crossing: .raw, visits: false)
        case .cityConfirmed1k: try city(count, 1000, crossing: .confirmed, visits: false)
        case .cityVisits1k: try city(count, 1000, crossing: .confirmed, visits: true)
        case .cityRaw10k: try city(count, 10_000, crossing: .raw, visits: false)
        case .cityConfirmed10k: try city(count, 10_000, crossing: .confirmed, visits: false)
        case .cityVisits10k: try city(count, 10_000, crossing: .confirmed, visits: true)
        case .cityRaw100k: try city(count, 100_000, crossing: .raw, visits: false)
        case .cityConfirmed100k: try city(count, 100_000, crossing: .confirmed, visits: false)
        case .cityVisits100k: try city(count, 100_000, crossing: .confirmed, visits: true)
        case .traceHundredth: TracedRequests.run(count, ratio: 0.01)
        case .traceAll: TracedRequests.run(count, ratio: 1)
        }
    }

    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "watch", let watch = FileWatchRun(arguments.dropFirst()) {
            return try watch.run { try measuredRun($0) }
        }
        guard arguments.count == 2, let name = arguments.first, let count = arguments.last.flatMap({ Int($0) }),
            let path = Path(rawValue: name)
        else {
            print("usage: fencepost-hotpath watch MODE REGIONS FILE, or fencepost-hotpath PATH COUNT, of these paths:")
            for path in Path.allCases where !path.isLong { print(path.rawValue) }
            exit(64)
        }
        // Warm up, so one-time initialisation is not counted.
        _ = try prepare(path, min(count, 1000))()
        print("\(name): \(count) times, result \(try measuredRun(prepare(path, count)))")
    }

    /// callgrind finds this function by its name.
    @inline(never) private static func measuredRun(_ work: () throws -> Int) rethrows -> Int { try work() }

    /// 700,000 vertices; built once, because that takes most of the time.
    private static let manyDistricts = RegionIndex(RegionCatalog(SyntheticRegions.districts(3500, seed: 1)))

    /// Random coordinates over a number of degrees north and east of the south-west corner of the synthetic regions.
    private static func points(_ count: Int, _ north: Double, _ east: Double) -> [Coordinate] {
        var random = SplitMix64(seed: 2)
        return (0..<count).map { _ in
            Coordinate(latitude: 48 + random.unit() * north, longitude: 2 + random.unit() * east)
        }
    }

    private static func locate(_ points: [Coordinate], _ index: RegionIndex) -> () throws -> Int {
        {
            var query = RegionQuery(index)
            var found: [RegionHandle] = []
            var hits = 0
            for point in points {
                try query.covering(point, into: &found)
                hits += found.count
            }
            return hits
        }
    }

    private static func locateBatch(_ points: [Coordinate], _ index: RegionIndex) -> () throws -> Int {
        {
            var query = RegionQuery(index)
            var found = Coverings()
            try query.covering(points, into: &found)
            return found.handles.count
        }
    }

    private static func decode(_ count: Int) -> () throws -> Int {
        var fleet = WalkingFleet(devices: 1000, degrees: 1, seed: 1)
        var writer = JSONWriter()
        for _ in 0..<count {
            writer.value(fleet.fix())
            writer.newline()
        }
        let bytes = writer.bytes
        return {
            var reader = LocationReader(ByteSource(bytes: bytes), options: .init(format: .ndjson))
            var decoded = 0
            while let records = try reader.next() { decoded += records.count }
            return decoded
        }
    }

    private static func encode(_ count: Int) throws -> () throws -> Int {
        var events: [Event] = []
        var engine = MonitorEngine(
            RegionIndex(RegionCatalog(SyntheticRegions.round(2000, in: .init(degrees: 0.05), crossing: .raw, seed: 1))),
            settings: MonitorSettings())
        var fleet = WalkingFleet(devices: 100, degrees: 0.05, seed: 1)
        while events.count < count { _ = try engine.accept(fleet.fix()) { events.append($0) } }
        let ready = Array(events.prefix(count))
        return {
            var encoder = EventEncoder(.ndjson)
            for event in ready { encoder.encode(event) }
            return encoder.takeBytes().count
        }
    }

    /// The states of devices after an hour or so, with visits.
    private static func deviceRecords() throws -> [DeviceRecord] {
        var fleet = WalkingFleet(devices: 200, degrees: 0.3, seed: 1)
        let regions = SyntheticRegions.round(1000, in: .init(degrees: 0.3), crossing: .confirmed, seed: 1)
        var engine = MonitorEngine(RegionIndex(RegionCatalog(regions)), settings: MonitorSettings())
        for _ in 0..<12_000 { _ = try engine.accept(fleet.fix()) { _ in } }
        return engine.deviceIDs.compactMap { engine.state(of: $0) }.map { DeviceRecord(engine: $0) }
    }

    private static func decodeStates(_ count: Int) throws -> () throws -> Int {
        let encoder = StateEncoder()
        let states = try deviceRecords().map { try encoder.encode($0) }
        return {
            let decoder = StateDecoder()
            var characters = 0
            for index in 0..<count {
                characters += try DeviceRecord(states[index % states.count], with: decoder).engine.deviceID.rawValue
                    .count
            }
            return characters
        }
    }

    private static func encodeStates(_ count: Int) throws -> () throws -> Int {
        let records = try deviceRecords()
        return {
            let encoder = StateEncoder()
            var bytes = 0
            for index in 0..<count { bytes += try encoder.encode(records[index % records.count]).count }
            return bytes
        }
    }

    /// A fleet in a part of a city, with the density that this number of regions has in the whole city.
    private static func city(
        _ count: Int, _ regions: Int, crossing: CrossingMode, visits: Bool
    ) throws -> () throws -> Int {
        let city = City(share: 1000 / Double(regions))
        var fleet = CityFleet(city, devices: 200, seed: 1)
        return try monitor(count, city.regions(1000, crossing: crossing, seed: 1), visits: visits) { fleet.fix() }
    }

    private static func monitor(_ count: Int, crossing: CrossingMode, visits: Bool) throws -> () throws -> Int {
        var fleet = WalkingFleet(devices: 200, degrees: 0.3, seed: 1)
        let regions = SyntheticRegions.round(1000, in: .init(degrees: 0.3), crossing: crossing, seed: 1)
        return try monitor(count, regions, visits: visits) { fleet.fix() }
    }

    private static func monitor(
        _ count: Int, _ regions: [Region], visits: Bool, fix: () -> Location
    ) throws -> () throws -> Int {
        var settings = MonitorSettings()
        if !visits { settings.visits = nil }
        var engine = MonitorEngine(RegionIndex(RegionCatalog(regions)), settings: settings)
        // Creates the state of every device before counting starts.
        for _ in 0..<2000 { _ = try engine.accept(fix()) { _ in } }
        let fixes = (0..<count).map { _ in fix() }
        return {
            var events = 0
            for fix in fixes { _ = try engine.accept(fix) { _ in events += 1 } }
            return events
        }
    }
}
