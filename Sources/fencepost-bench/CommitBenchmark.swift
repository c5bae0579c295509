import ArgumentParser
import FencepostGeometry
import FencepostModel
import FencepostService
import FencepostStore
import Foundation
import Synchronization

/// Measures durable commits of the SQLite store.
struct CommitBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "commit", abstract: "Commits generated fixes durably to a database.")

    @Option(help: "Fixes in all, in large commits.") var fixes = 2_000_000
    @Option(help: "Fixes in a large commit.") var batch = 2000
    @Option(help: "Commits of one fix.") var single = 10_000
    @Option(help: "The number of devices.") var devices = 10_000
    @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1
    @Option(help: "full or relaxed.") var durability = "full"
    @Option(help: "The folder of the database, on the disk to be measured.")
    var folder = FileManager.default.currentDirectoryPath
    @Flag(help: "Run the maintenance of the store at the same time, as the service does.") var maintain = false
    @OptionGroup var report: ReportOptions

    func run() async throws {
        guard let durability = StorageSettings.Durability(rawValue: durability) else {
            throw ValidationError("--durability is full or relaxed.")
        }
        var settings = StorageSettings()
        settings.path = "\(folder)/fencepost-commit-\(UUID()).sqlite"
        settings.durability = durability
        let path = settings.path
        let store = try SQLiteStore(settings)
        defer {
            for suffix in ["", "-wal", "-shm", ".lock"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
        report.title(
            "commit: seed \(seed), \(devices) devices, durability \(durability.rawValue)\(maintain ? ", maintained" : "")"
        )
        var random = SplitMix64(seed: seed)
        var position: LogPosition = 0
        let commits = max(1, fixes / batch)
        try await measure("\(batch) fixes", commits: commits, size: batch, store, &position, &random)
        try await measure("1 fix", commits: single, size: 1, store, &position, &random)
        let size = try await store.size()
        report.title("database \(size.database) bytes, log \(size.log) bytes, position \(position)")
        try store.close()
    }

    /// Measures commits of one size. Six parameters, because the store, the position and the random numbers go on from
    /// one measurement to the next.
    private func measure(
        _ name: String, commits: Int, size: Int, _ store: SQLiteStore, _ position: inout LogPosition,
        _ random: inout SplitMix64
    ) async throws {
        let clock = ContinuousClock()
        var times: [Duration] = []
        async let maintenance: Void = maintain ? Self.maintain(store) : ()
        for _ in 0..<commits {
            position += 1
            var commit = Commit(position: position, receivedAt: Timestamp(seconds: 1_772_000_000 + position))
            commit.locations = (0..<size).map { _ in fix(position, &random) }
            if maintain, position.isMultiple(of: LogPosition(max(1, 200_000 / size))) {
                commit.checkpoints = (0..<devices).map {
                    DeviceCheckpoint(deviceID: DeviceID("device/\($0)"), position: position, state: [1])
                }
            }
            let ready = commit
            times.append(try await clock.measure { try await store.commit(ready) })
        }
        Self.isOver.store(true, ordering: .relaxed)
        try await maintenance
        Self.isOver.store(false, ordering: .relaxed)
        let seconds = times.reduce(.zero, +) / .seconds(1)
        var measurement = Measurement(
            "commit", "\(name) a commit",
            ["seed": Int(seed), "devices": devices, "fixes": size, "commits": commits], unit: "ms",
            times.map { $0 / .milliseconds(1) })
        measurement.details = [
            "commits/s": Double(commits) / seconds, "fixes/s": Double(commits * size) / seconds,
            "99th of 100 ms": times.sorted()[times.count * 99 / 100] / .milliseconds(1),
        ]
        try report.write(measurement)
    }

    private static let isOver = Atomic(false)

    private static func maintain(_ store: SQLiteStore) async throws {
        while !isOver.load(ordering: .relaxed) {
            try await store.maintain(at: Timestamp(seconds: 1_772_000_000))
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private func fix(_ second: Int64, _ random: inout SplitMix64) -> StoredLocation {
        var location = Location(
            deviceID: DeviceID("device/\(Int.random(in: 0..<devices, using: &random))"),
            timestamp: Timestamp(seconds: 1_772_000_000 + second),
            coordinate: Coordinate(
                latitude: (random.unit() * 170e6 - 85e6).rounded() / 1e6,
                longitude: (random.unit() * 360e6 - 180e6).rounded() / 1e6),
            horizontalAccuracy: (random.unit() * 50).rounded())
        location.speed = (random.unit() * 300).rounded() / 10
        location.batteryLevel = (random.unit() * 100).rounded() / 100
        location.source = "owntracks"
        return StoredLocation(location)
    }
}
