import FencepostGEOS
import FencepostGeometry
import FencepostModel
import FencepostWorkload
import Foundation

/// What other programs need for the entries and exits of the same fleet: processor time, which other load on the machine
/// affects little. Each does less than Fencepost: none of them reads lines or writes events.
struct CityPeers {
    let regions: [Region]
    let locations: [Location]
    /// The number of entries and exits that Fencepost finds in the mode `raw`.
    let events: Int
    let runs: Int

    /// The figures of one program, in nanoseconds per position.
    struct Figures {
        var name: String
        var times: [Double]
        var details: [String: Double] = [:]
    }

    private struct Disagreement: Error, CustomStringConvertible {
        let description: String
    }

    /// GEOS with its R-tree over prepared polygons, asked at each location; the differences to the regions of the device's
    /// last location are its entries and exits.
    ///
    /// - Throws: when it finds another number of them.
    func geos() throws -> Figures {
        let shapes = regions.compactMap { region in
            if case .polygons(let shape) = region.shape { shape } else { nil }
        }
        let tree = try PreparedPolygonTree(shapes, in: GEOSContext())
        var devices: [DeviceID: Int] = [:]
        let numbers = locations.map { location in
            let number = devices[location.deviceID] ?? devices.count
            devices[location.deviceID] = number
            return number
        }
        var times: [Double] = []
        // The first run prepares the polygons.
        for run in 0...runs {
            var inside = [[Int]](repeating: [], count: devices.count)
            var (changes, found): (Int, [Int]) = (0, [])
            let start = ProcessorTime.now()
            for (number, location) in zip(numbers, locations) {
                try tree.covering(location.coordinate, into: &found)
                for region in found where !inside[number].contains(region) { changes += 1 }
                for region in inside[number] where !found.contains(region) { changes += 1 }
                swap(&inside[number], &found)
            }
            if run > 0 { times.append((ProcessorTime.now() - start) / Double(locations.count)) }
            guard changes == events else {
                throw Disagreement(description: "GEOS finds \(changes) entries and exits, and not \(events)")
            }
        }
        return Figures(name: "GEOS", times: times)
    }

    /// shapely, asked about all locations at once, as is best for it.
    func shapely(_ python: String) throws -> Figures {
        let catalog = RegionCatalog(regions)
        let points = locations.map(\.coordinate)
        return Figures(name: "shapely", times: try Shapely(python).times(catalog, points, repeats: runs, found: nil))
    }

    /// Tile38, by the path of its server, with a geofence for each region: the processor time of the server alone.
    func tile38(_ program: String) throws -> Figures {
        let server = try Tile38Process(program: program)
        defer { server.stop() }
        let fleet = try Tile38Fleet(port: server.port)
        try fleet.setRegions(regions)
        let start = server.processorTime
        let received = try fleet.send(locations)
        return Figures(
            name: "Tile38", times: [(server.processorTime - start) * 1e9 / Double(locations.count)],
            details: ["events of Tile38": Double(received)])
    }
}

/// A server of Tile38 on this machine with an empty storage, stopped by `stop()`.
private final class Tile38Process {
    let port = UInt16.random(in: 20_000..<30_000)
    private let process = Process()
    private let folder: URL

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts the server and waits until it listens.
    init(program: String) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-tile38-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        process.executableURL = URL(filePath: program)
        process.arguments = ["-h", "127.0.0.1", "-p", String(port), "-d", folder.path, "--appendonly", "no"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<200 {
            if (try? RESPConnection(port: port)) != nil { return }
            usleep(50_000)
        }
        stop()
        throw Failure(description: "\(program) does not answer on port \(port)")
    }

    /// Seconds of all threads of the server, in user and kernel mode.
    var processorTime: Double {
        let text = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
        // Behind the name in parentheses, which may have spaces, the 12th and 13th field.
        let fields = text.suffix(from: text.lastIndex(of: ")") ?? text.endIndex).split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
