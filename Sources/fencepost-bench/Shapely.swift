import FencepostGeometry
import FencepostModel
import Foundation

/// shapely (GEOS with its R-tree, from Python) as a baseline.
struct Shapely {
    private let python: String

    /// - Parameter python: a Python with shapely 2.
    init(_ python: String) { self.python = python }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Measures point queries, for each repetition.
    ///
    /// `found` is the expected number of pairs of a point and a region that covers it; `nil` if it is not known.
    ///
    /// - Returns: nanoseconds of processor time per point.
    /// - Throws: if Python or shapely is missing, or finds another number.
    func times(_ catalog: RegionCatalog, _ points: [Coordinate], repeats: Int, found: Int?) throws -> [Double] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "fencepost-shapely-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var rings = ""
        for (handle, region) in catalog.regions {
            guard case .polygons(let polygons) = region.shape else {
                throw Failure(description: "shapely is timed over polygons only")
            }
            for polygon in polygons.polygons {
                let text = polygon.rings.map { ring in
                    ring.coordinates.map { "\($0.longitude) \($0.latitude)" }.joined(separator: ",")
                }
                rings += "\(handle.rawValue);POLYGON((\(text.joined(separator: "),("))))\n"
            }
        }
        try Data(rings.utf8).write(to: folder.appending(path: "polygons.txt"))
        let bytes = points.flatMap { [$0.longitude, $0.latitude] }.withUnsafeBytes { Data($0) }
        try bytes.write(to: folder.appending(path: "points.bin"))
        try Data(Self.script.utf8).write(to: folder.appending(path: "peer.py"))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [python, folder.appending(path: "peer.py").path, folder.path, String(repeats)]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let lines = output.split(separator: "\n").compactMap { Double($0) }
        guard process.terminationStatus == 0, lines.count == repeats + 1 else {
            throw Failure(description: "\(python) cannot run shapely; `pip install shapely` installs it")
        }
        if let found, Int(lines[0]) != found {
            throw Failure(description: "shapely finds \(lines[0]) points inside of regions, and not \(found)")
        }
        return Array(lines.dropFirst())
    }

    /// The first repetition is not timed, as for GEOS, because it prepares the polygons.
    private static let script = """
        import sys, time
        import numpy, shapely
        from shapely import STRtree
        folder, repeats = sys.argv[1], int(sys.argv[2])
        lines = [line.split(";") for line in open(folder + "/polygons.txt")]
        regions = numpy.array([int(line[0]) for line in lines])
        polygons = shapely.from_wkt([line[1] for line in lines])
        shapely.prepare(polygons)
        points = shapely.points(numpy.fromfile(folder + "/points.bin").reshape(-1, 2))
        tree = STRtree(polygons)
        def ask():
            near = tree.query(points)
            pairs = shapely.covers(polygons[near[1]], points[near[0]])
            return near[0][pairs], near[1][pairs]
        inside = ask()
        print(len(set(zip(regions[inside[1]].tolist(), inside[0].tolist()))))
        for _ in range(repeats):
            start = time.process_time()
            ask()
            print((time.process_time() - start) * 1e9 / len(points))

        """
}
