import ArgumentParser
import FencepostGeometry
import FencepostHistory
import FencepostModel
import FencepostMonitor
import FencepostService
import FencepostStore
import FencepostWorkload
import Foundation

/// Measures questions about who was in an area, over stored locations of walking devices.
struct PresenceBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "presences", abstract: "Stores generated fixes, and asks who was in circles of them.")

    @Option(help: "The number of devices.") var devices = 10_000
    @Option(help: "Fixes of each device, one each 5 s.") var fixes = 1000
    @Option(help: "Fixes of each device that stay in the log, in no segment.") var unarchived = 0
    @Option(help: "The side of the square in which devices walk, in degrees.") var degrees = 1.0
    @Option(help: "The radius of the circles in metres.") var radius = 4500.0
    @Option(help: "The number of questions.") var questions = 11
    @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1
    @Option(help: "The folder of the database.") var folder = FileManager.default.currentDirectoryPath
    @OptionGroup var report: ReportOptions

    func run() async throws {
        var settings = StorageSettings()
        settings.path = "\(folder)/fencepost-presences-\(UUID()).sqlite"
        settings.durability = .relaxed
        let path = settings.path
        let store = try SQLiteStore(settings)
        defer {
            for suffix in ["", "-wal", "-shm", ".lock", ".work"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        report.title(
            "presences: seed \(seed), \(devices) devices with \(fixes) fixes, \(unarchived) of them in the log")
        try await save(in: store)
        let size = try await store.size()
        report.title("database \(size.database) bytes, log \(size.log) bytes")
        var random = SplitMix64(seed: seed)
        var (times, counts): ([Duration], [(devices: Int, fixes: Int, presences: Int)]) = ([], [])
        for _ in 0..<questions {
            let center = Coordinate(
                latitude: 48 + random.unit() * degrees, longitude: 2 + random.unit() * degrees)
            let region = Region(id: RegionID("here"), shape: .circle(Circle(center: center, radius: radius)))
            let query = PresenceQuery(
                region, settings: MonitorSettings(), from: WalkingFleet.start,
                to: WalkingFleet.start + .seconds(fixes * WalkingFleet.interval))
            var page = PresenceQuery.Page()
            let clock = ContinuousClock()
            times.append(
                try await clock.measure { page = try await query.page(of: store, after: nil, limit: .max) })
            counts.append((page.devices, page.fixes, page.presences.count))
        }
        var measurement = Measurement(
            "presences", "a circle of \(Int(radius)) m",
            ["seed": Int(seed), "devices": devices, "fixes": fixes, "unarchived": unarchived, "questions": questions],
            unit: "ms", times.map { $0 / .milliseconds(1) })
        let sum = Double(questions)
        measurement.details = [
            "devices evaluated": Double(counts.map(\.devices).reduce(0, +)) / sum,
            "fixes evaluated": Double(counts.map(\.fixes).reduce(0, +)) / sum,
            "presences": Double(counts.map(\.presences).reduce(0, +)) / sum,
        ]
        try report.write(measurement)
        try store.close()
    }

    private func save(in store: SQLiteStore) async throws {
        var fleet = WalkingFleet(devices: devices, degrees: degrees, seed: seed)
        var position: LogPosition = 0
        var last = WalkingFleet.start
        for round in 0..<fixes {
            if round == fixes - unarchived { try await store.maintain(at: last, isForced: true) }
            var commit = Commit(position: position + 1, receivedAt: WalkingFleet.start)
            for _ in 0..<devices { commit.locations.append(StoredLocation(fleet.fix())) }
            last = commit.locations.last?.location.timestamp ?? last
            commit.receivedAt = last
            position += 1
            try await store.commit(commit)
            if round < fixes - unarchived { try await store.maintain(at: last) }
        }
        if unarchived == 0 { try await store.maintain(at: last, isForced: true) }
    }
}
