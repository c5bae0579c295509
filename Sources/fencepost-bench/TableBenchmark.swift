import ArgumentParser
import Foundation

/// Runs all benchmarks, each in a process of its own, and prints tables.
struct TableBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "table",
        abstract: "Runs all benchmarks and prints tables.",
        discussion: """
            Each row is a run of one of the other subcommands in a process of its own, so rows do not affect each other; \
            its command is printed above it. With --service a service is started on its own core for the rows that need \
            one.
            """)

    @Flag(help: "Few regions, points and repetitions: about a minute.") var quick = false
    @Option(help: "The path of `fencepost`, for the rows that need a running service; omitted without it.") var service:
        String?
    @Option(help: "A Python with shapely, for comparison; omitted without it.") var shapely: String?
    @Option(help: "The path of tile38-server, for comparison; by default that of FENCEPOST_TILE38.") var tile38: String?
    @Option(help: "A folder with region files, for rows with real districts; omitted without it.") var regions: String?
    @Option(help: "The commit, printed with the table.") var commit = "unknown"
    @Option(help: "The seed of the random numbers.") var seed: UInt64 = 1
    @OptionGroup var report: ReportOptions

    func run() throws {
        let machine = Self.machine
        if report.json {
            let head = ["commit": commit, "machine": machine, "seed": String(seed), "date": Date().ISO8601Format()]
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(head), as: UTF8.self))
        } else {
            print("commit \(commit), \(machine), seed \(seed), \(Date().ISO8601Format())")
        }
        var failures = 0
        for row in rows {
            var peer: [String] = []
            if row.contains("--peers") || row[0] == "locate" && isSmall(row) {
                peer = shapely.map { ["--shapely", $0] } ?? []
            }
            if row.contains("--peers") { peer += tile38.map { ["--tile38", $0] } ?? [] }
            do { try measure(row, hidden: peer) } catch {
                failures += 1
                FileHandle.standardError.write(Data("\(row.joined(separator: " ")): \(error)\n".utf8))
            }
        }
        if let service { failures += try measureService(service) }
        if failures > 0 { throw ExitCode(1) }
    }

    /// Whether shapely takes part: writing its input takes long for many regions.
    private func isSmall(_ row: [String]) -> Bool { !row.contains("100000") && !row.contains("1000000") }

    /// The arguments of each run.
    private var rows: [[String]] {
        let points = quick ? ["--points", "50000", "--repeats", "3"] : ["--points", "200000", "--repeats", "5"]
        let mixed = regions.map { ["--regions", "\($0)/world-countries-50m.geojson"] } ?? []
        var rows: [[String]] = []
        if let regions {
            for name in ["nyc-boroughs", "nyc-taxi-zones", "kr-seoul-neighbourhoods", "world-countries-50m"] {
                let path = "\(regions)/\(name).geojson"
                guard FileManager.default.fileExists(atPath: path) else { continue }
                rows.append(["locate", "--regions", path] + points)
            }
        }
        for count in quick ? [1, 1000, 10_000] : [1, 1000, 10_000, 100_000, 1_000_000] {
            rows.append(["locate", "--round", String(count)] + points)
        }
        rows.append(["locate", "--tiles", quick ? "500" : "3500"] + points)
        if !quick {
            // Small cells, a dense city, and a mixture.
            rows.append(["locate", "--tiles", "40000", "--vertices", "8"] + points)
            rows.append(["locate", "--round", "100000", "--degrees", "0.3"] + points)
            rows.append(["locate", "--round", "100000", "--degrees", "0.3", "--tiles", "3500"] + mixed + points)
        }
        rows.append(["decode"] + (quick ? ["--lines", "300000", "--runs", "3"] : []))
        rows.append(["load", "--vertices", "16"] + (quick ? ["--regions", "10000"] : ["--runs", "3"]))
        rows.append(["change"] + (quick ? ["--regions", "10000", "--changes", "50"] : []))
        rows.append(["monitor", "--city"] + (quick ? ["--regions", "10000", "--rounds", "3"] : []))
        rows.append(["monitor"] + (quick ? ["--regions", "10000", "--rounds", "3"] : []))
        let few = ["--regions", "10000", "--lines", "200000", "--runs", "3"]
        let modes = ["--mode", "raw", "--mode", "confirmed", "--mode", "confirmed+visits"]
        rows.append(["watch", "--city", "--peers", "--no-parts"] + modes + (quick ? few : []))
        if !quick {
            rows.append(
                ["watch", "--city", "--no-parts", "--regions", "1000000", "--lines", "1000000", "--runs", "3"] + modes)
        }
        rows.append(["watch", "--no-parts"] + (quick ? few : []))
        return rows.map { $0 + ["--seed", String(seed)] }
    }

    /// Runs this program again and reports its measurements; arguments in `hidden` are not printed.
    private func measure(_ arguments: [String], on core: Int? = nil, hidden: [String] = []) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let prefix = core.map { ["taskset", "-c", String($0)] } ?? []
        process.arguments = prefix + [Self.program] + arguments + hidden + ["--json"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        report.title("\n`fencepost-bench \(arguments.joined(separator: " "))`\n\n\(Measurement.tableHead)")
        var rest: [UInt8] = []
        while case let bytes = output.fileHandleForReading.availableData, !bytes.isEmpty {
            rest += bytes
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Data(rest[..<end])
                rest.removeSubrange(...end)
                // Other output is an error message, such as a point where GEOS disagrees.
                if let measurement = try? JSONDecoder().decode(Measurement.self, from: line) {
                    if report.json { try report.write(measurement) } else { print(measurement.tableRow) }
                } else {
                    FileHandle.standardError.write(line + Data("\n".utf8))
                }
            }
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ExitCode(process.terminationStatus) }
    }

    /// Runs the service on the first core and its load on the second, each row with a new storage.
    ///
    /// - Returns: the number of failed rows.
    private func measureService(_ program: String) throws -> Int {
        guard ProcessInfo.processInfo.activeProcessorCount > 1 else {
            report.title("\nThe service is not measured: it needs one core, and its load another.")
            return 0
        }
        let span = ["--seconds", quick ? "3" : "8"]
        var failures = 0
        for row in [
            [
                "ingest", "--city", quick ? "1000" : "10000", "--batch", "100", "--connections", "10", "--devices",
                "10000",
            ],
            ["ingest", "--batch", "100", "--connections", "16", "--devices", "12800"],
            ["ingest", "--batch", "1", "--format", "owntracks", "--connections", "32", "--devices", "3200"],
            ["delay", "--rate", quick ? "20000" : "100000", "--crossings", "100"],
        ] {
            do {
                let service = try ServiceProcess(program: program, core: 0)
                defer { service.stop() }
                try measure(
                    row + span + ["--seed", String(seed)], on: 1,
                    hidden: ["--port", String(service.port), "--token", service.token])
            } catch {
                failures += 1
                FileHandle.standardError.write(Data("\(row.joined(separator: " ")): \(error)\n".utf8))
            }
        }
        return failures
    }

    private static var program: String {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    }

    /// The processor's name and its number of cores.
    private static var machine: String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let model = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
        let name = model.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown processor"
        return "\(name), \(ProcessInfo.processInfo.activeProcessorCount) cores"
    }
}
