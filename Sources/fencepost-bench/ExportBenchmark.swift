import ArgumentParser
import FencepostFiles
import FencepostGeometry
import FencepostHistory
import FencepostModel
import FencepostService
import FencepostWorkload
import Foundation

/// Encodes locations of walking devices as GeoParquet, as `fencepost export` does with those that it has read.
struct ExportBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Measures how fast locations are encoded as GeoParquet.",
        discussion: "With --output the file of the last run is written, for other programs to read.")

    @Option(help: "The number of locations.") var rows = 1_000_000
    @Option(help: "The number of devices.") var devices = 100
    @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1
    @Option(help: "The number of runs.") var runs = 3
    @Option(help: "The file to write.") var output: String?

    @OptionGroup var report: ReportOptions

    func validate() throws {
        guard rows > 0, devices > 0, rows >= devices, runs > 0 else {
            throw ValidationError("--rows has to be at least --devices, and all numbers at least 1.")
        }
    }

    func run() throws {
        report.title("export: seed \(seed), \(rows) locations of \(devices) devices")
        var (rates, size, accuracies) = ([Double](), 0, 0.0)
        for number in 1...runs {
            let found: (nanoseconds: Double, bytes: Int, accuracies: Double)
            if number == runs, let output {
                var last = (nanoseconds: 0.0, bytes: 0, accuracies: 0.0)
                try OutputFile(output).write { append in
                    last = try encode { bytes in try bytes.withUnsafeBytes { try append($0) } }
                }
                found = last
            } else {
                found = try encode { _ in }
            }
            precondition(size == 0 || size == found.bytes, "the runs differ")
            (size, accuracies) = (found.bytes, found.accuracies)
            rates.append(Double(rows) / found.nanoseconds * 1000)
        }
        var measurement = Measurement(
            "export", "locations to GeoParquet", ["seed": Int(seed), "rows": rows, "devices": devices],
            unit: "M rows/s", isRate: true, rates)
        measurement.details["bytes a row"] = Double(size) / Double(rows)
        // What a reader of the file has to find as the sum of its accuracies.
        report.title("  \(size) bytes; the accuracies add up to \(Int(clamped: accuracies)) m")
        try report.write(measurement)
    }

    /// Encodes all locations; generating and writing them is not counted.
    private func encode(_ write: ([UInt8]) throws -> Void) throws -> (
        nanoseconds: Double, bytes: Int, accuracies: Double
    ) {
        var file = try ExportFile(.locations, .geoparquet)
        var (time, count, accuracies) = (0.0, 0, 0.0)
        func take(_ bytes: [UInt8]) throws {
            count += bytes.count
            try write(bytes)
        }
        try take(file.begin())
        for device in 0..<devices {
            var fleet = WalkingFleet(devices: 1, degrees: 0.5, seed: seed &+ UInt64(device))
            let id = DeviceID("walker/\(device)")
            let locations = (0..<rows / devices + (device < rows % devices ? 1 : 0)).map { _ in
                var location = fleet.fix()
                location.deviceID = id
                return StoredLocation(location)
            }
            accuracies += locations.reduce(0) { $0 + ($1.location.horizontalAccuracy ?? 0) }
            let batch = ExportBatch.locations(locations)
            let start = ProcessorTime.now()
            let bytes = try file.append(batch)
            time += ProcessorTime.now() - start
            try take(bytes)
        }
        let start = ProcessorTime.now()
        let bytes = try file.finish()
        time += ProcessorTime.now() - start
        try take(bytes)
        return (time, count, accuracies)
    }
}
