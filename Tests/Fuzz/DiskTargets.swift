import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostMonitor
import FencepostRegionFiles
import FencepostRegions
import FencepostService
import Foundation

@testable import FencepostEngine
@testable import FencepostStore

/// Readers of what a disk gives back, which is not always what was written.
let diskTargets: [String: Target] = ["log": readLog, "checkpoint": readCheckpoint, "database": readDatabase]

/// The devices of a row of the log, with their length in front, and its locations.
private func readLog(_ bytes: [UInt8]) {
    var pieces = Pieces(bytes)
    let count = min(pieces.number(), max(bytes.count - 2, 0))
    let rest = bytes.dropFirst(2)
    guard let devices = try? DeviceList.decode(Array(rest.prefix(count))),
        let fixes = try? FixDecoder.all(Array(rest.dropFirst(count)), devices: devices)
    else { return }
    var encoder = FixEncoder(receivedAt: Timestamp(milliseconds: 0), capacity: fixes.count)
    for fix in fixes {
        let location = fix.location
        let numbers = [
            location.coordinate.latitude, location.coordinate.longitude, location.speed, location.altitude,
            location.course, location.horizontalAccuracy, location.verticalAccuracy, location.batteryLevel,
        ]
        precondition(numbers.allSatisfy { $0?.isFinite ?? true }, "a number is not finite")
        encoder.append(fix.stored, receivedAt: fix.receivedAt)
    }
    let again = try? FixDecoder.all(encoder.bytes, devices: encoder.devices)
    precondition(again == fixes, "a row is not read as it was written")
    _ = try? Segment.fixes(Array(rest), device: DeviceID("a"))
}

/// Changed bytes of a checkpoint, each as two bytes for the offset and one for the value, with a checksum that fits, so
/// that the values are read too.
private func readCheckpoint(_ bytes: [UInt8]) {
    _ = try? DeviceRecord(bytes)
    var content = CheckpointTemplate.bytes
    var pieces = Pieces(bytes)
    while !pieces.isEmpty {
        let offset = pieces.number() % content.count
        content[offset] = pieces.byte()
    }
    let sum = content.withUnsafeBytes { StateBytes.sum($0) }
    guard let record = try? DeviceRecord(content + withUnsafeBytes(of: sum.littleEndian) { Array($0) }) else { return }
    let encoder = StateEncoder()
    guard let written = try? encoder.encode(record) else { preconditionFailure("a checkpoint cannot be written") }
    guard let again = try? DeviceRecord(written), let second = try? encoder.encode(again) else {
        preconditionFailure("a written checkpoint cannot be read")
    }
    precondition(written == second, "a checkpoint is not read as it was written")
}

/// The checkpoint of a device that is inside a region and on a visit, without its checksum.
private enum CheckpointTemplate {
    static let bytes: [UInt8] = {
        let feature = #"""
            {"type":"Feature","id":"a","properties":{"radius":200,"dwell":60},
            "geometry":{"type":"Point","coordinates":[2,1]}}
            """#
        let regions = RegionFile.read(Array(feature.utf8)).regions
        var engine = MonitorEngine(RegionIndex(RegionCatalog(regions)), settings: MonitorSettings())
        let device = DeviceID("jane/phone")
        do {
            for minute in 0..<20 as Range<Int64> {
                let location = Location(
                    deviceID: device, timestamp: Timestamp(seconds: 1_772_000_000 + 60 * minute),
                    coordinate: Coordinate(latitude: minute < 3 ? 1.1 : 1.0001, longitude: 2), horizontalAccuracy: 10)
                _ = try engine.accept(location) { _ in }
            }
            guard let state = engine.state(of: device) else { preconditionFailure("the device is not known") }
            let record = try StateEncoder().encode(DeviceRecord(engine: state))
            return Array(record.dropLast(StateBytes.sumLength))
        } catch { preconditionFailure("the checkpoint cannot be made: \(error)") }
    }()
}

// MARK: Database

/// Changed bytes of a database: three bytes for the offset, one for the value.
///
/// The store opens the file, or refuses it with an error; what it reads is checked by the doctor too.
private func readDatabase(_ bytes: [UInt8]) {
    let path = scratchFolder + "/a.sqlite"
    var database = Template.bytes
    var pieces = Pieces(bytes)
    while !pieces.isEmpty {
        let offset = (pieces.number() << 8 | Int(pieces.byte())) % database.count
        database[offset] = pieces.byte()
    }
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    try? Data(database).write(to: URL(filePath: path))
    _ = try? Doctor.examine(path)
    guard let store = try? SQLiteStore(path: path) else { return }
    waiting {
        _ = try? await store.load()
        _ = try? await store.log(after: 0, limit: 100)
        let first: Int64 = 0
        _ = try? await store.events(HistoryFilter(), after: first, limit: 100)
        let fixes = try? await store.locations(of: DeviceID("d0"), from: nil, to: nil, after: nil, limit: 100)
        precondition((fixes ?? []).count <= 100, "a page is too long")
        _ = try? await store.tokens()
        _ = try? await store.endpoints()
        _ = try? await store.backlog()
        _ = try? await store.maintain(at: Timestamp(seconds: 1_772_000_000), isForced: true)
    }
    try? store.close()
}

/// A small database with a row in most tables.
private enum Template {
    static let bytes: [UInt8] = {
        let path = scratchFolder + "/template.sqlite"
        let start = Timestamp(seconds: 1_772_000_000)
        do {
            let store = try SQLiteStore(path: path)
            let failure = waiting { await fill(store, start) }
            precondition(failure == nil, "the database cannot be filled: \(failure ?? "")")
            try store.close()
            return [UInt8](try Data(contentsOf: URL(filePath: path)))
        } catch { preconditionFailure("the database cannot be made: \(error)") }
    }()

    private static func fill(_ store: SQLiteStore, _ start: Timestamp) async -> String? {
        do {
            try await store.save(
                Endpoint(
                    id: "ops", url: "https://example.org", secrets: [Endpoint.Secret("whsec_AA")], createdAt: start))
            for position in 1...6 as ClosedRange<LogPosition> {
                var commit = Commit(position: position, receivedAt: start + .seconds(position))
                commit.locations = (0..<3).map {
                    StoredLocation(
                        Location(
                            deviceID: DeviceID("d\($0)"), timestamp: start + .seconds(position),
                            coordinate: Coordinate(latitude: 1, longitude: Double(position))))
                }
                let id = "evt_\(position)"
                let region = RegionSummary(id: RegionID("a"), name: "A", tags: ["b"], metadata: nil)
                var event = Event(
                    id: id, sequence: Int(position), deviceID: DeviceID("d1"), occurrence: .regionEntered(region),
                    timestamp: commit.receivedAt, detectedAt: commit.receivedAt)
                event.location = commit.locations[1].location
                event.why = Why(rule: .clearFix, distance: -12.5, pendingFixes: [start])
                commit.events = [
                    NewEvent(EventMessage(.occurrence(event, decisions: []), receivedAt: commit.receivedAt))
                ]
                commit.deliveries = [
                    NewDelivery(
                        endpointID: "ops", eventID: id, deviceID: DeviceID("d1"), body: "{}", headers: [:],
                        isOrdered: true)
                ]
                try await store.commit(commit)
                if position == 3 { _ = try await store.maintain(at: start + .seconds(10), isForced: true) }
            }
            return nil
        } catch { return "\(error)" }
    }
}
