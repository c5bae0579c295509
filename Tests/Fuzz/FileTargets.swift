import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostMessages
import FencepostModel
import FencepostRegionFiles
import FencepostRegionImport
import FencepostRegions
import FencepostService
import Foundation
import GRDB

@testable import FencepostFiles
@testable import FencepostSavedIndex
@testable import FencepostTiles

/// Readers of files that an operator gives the service.
let fileTargets: [String: Target] = [
    "jsontext": readJSON, "regions": readRegions, "config": readConfiguration, "endpoint": readEndpoint,
    "template": readTemplate, "index": readIndex, "pmtiles": readPMTiles, "mbtiles": readMBTiles,
]

private func readJSON(_ bytes: [UInt8]) {
    do {
        let document = try JSONDocument(parsing: bytes)
        let again = try JSONDocument(parsing: document.root.text)
        precondition(again.root == document.root, "a document is not read as it was written")
        precondition(again.duplicateNames() == document.duplicateNames(), "the duplicates are not the same")
    } catch {
        precondition(!error.message.contains("cannot be parsed"), "two parsers do not agree on what JSON is")
        precondition(error.offset <= bytes.count && error.line >= 1 && error.column >= 1, "a place is outside")
    }
}

private func check(_ diagnostics: [Diagnostic]) {
    precondition(diagnostics.allSatisfy { !$0.code.isEmpty && !$0.message.isEmpty }, "a problem is not explained")
}

private func readRegions(_ bytes: [UInt8]) {
    for options in [RegionOptions(), RegionOptions(repair: true, limits: .service)] {
        let reading = AnyRegionFile.read(bytes, name: "a.geojson", options: options)
        check(reading.diagnostics)
        precondition(Set(reading.regions.map(\.id)).count == reading.regions.count, "an id is there twice")
        precondition(
            !reading.regions.isEmpty || !reading.diagnostics.isEmpty || bytes.count > 20,
            "a short file without regions has no problem")
        let again = AnyRegionFile.read(bytes, name: "a.geojson", options: options)
        precondition(again.regions == reading.regions, "the regions of a file are not always the same")
    }
}

private func readConfiguration(_ bytes: [UInt8]) {
    let (configuration, problems) = ConfigurationReader.read(bytes, file: "/a/fencepost.json")
    check(problems)
    precondition(ConfigurationReader.needingRestart(from: configuration, to: configuration).isEmpty, "a key changed")
}

private func readEndpoint(_ bytes: [UInt8]) {
    guard let root = try? JSONDocument(parsing: bytes).root else { return }
    let (draft, problems) = EndpointFile.read(root)
    check(problems)
    precondition(draft != nil || !problems.isEmpty, "an endpoint is refused without a reason")
    // A change of nothing changes nothing.
    guard let draft, let nothing = try? JSONDocument(parsing: "{}").root else { return }
    let (same, _) = EndpointFile.read(nothing, over: draft.endpoint, replacing: draft.endpoint)
    precondition(same?.endpoint == draft.endpoint, "an empty change makes another endpoint")
}

/// A saved index, in which the input changes bytes: the section, the offset, the number and the bytes of each change. The
/// hashes fit again afterwards, as somebody who makes such a file would have it.
private func readIndex(_ bytes: [UInt8]) {
    var pieces = Pieces(bytes)
    var file = savedIndex
    guard let header = try? SavedHeader(MappedFile(content: file), name: "a.index") else {
        preconditionFailure("the index is damaged before it is changed")
    }
    while !pieces.isEmpty {
        let entry = header.entries[Int(pieces.byte()) % header.entries.count]
        let (offset, count) = (UInt64(pieces.number()), Int(pieces.byte() % 9))
        for index in 0..<count {
            let byte = pieces.byte()
            guard entry.byteCount > 0 else { continue }
            file[Int(entry.offset + (offset + UInt64(index)) % entry.byteCount)] = byte
        }
    }
    guard let content = try? MappedFile(content: SavedHeader.withHashes(file)),
        let index = try? SavedIndex(content, path: "a.index").index
    else { return }
    var query = RegionQuery(index)
    for (handle, region) in index.catalog.regions {
        _ = try? query.width(of: handle)
        _ = index.catalog.handle(for: region.id)
        _ = region.schedule?.nextTransition(after: Timestamp(seconds: 1_790_000_000))
    }
    var points: [Coordinate] = []
    for latitude in stride(from: -90.0, through: 90, by: 18) {
        for longitude in stride(from: -180.0, through: 180, by: 24) {
            points.append(Coordinate(latitude: latitude, longitude: longitude))
            points.append(Coordinate(latitude: latitude / 90 + 0.5, longitude: longitude / 180 + 0.5))
        }
    }
    for point in points {
        _ = try? query.covering(point)
        var near: [Proximity] = []
        try? query.near(point, within: 50, into: &near)
        _ = query.safeRegion(around: point)
    }
    var together = Coverings()
    try? query.covering(points, into: &together)
    for (start, end) in zip(points, points.dropFirst()) { _ = try? query.passThroughs(from: start, to: end) }
}

/// The index of a few regions of all shapes, as it is written.
private let savedIndex: [UInt8] = {
    let text = """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","id":"a","properties":{"name":"A","tags":["x"],"dwell":60,"schedule":{"timeZone":"Asia/Seoul",
        "weekly":["Mon-Fri 09:00-18:00"],"except":["2026-12-25"]},"devices":["v-*"],"metadata":{"k":1}},"geometry":
        {"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1],[0,0]],[[0.4,0.4],[0.6,0.4],[0.5,0.6],[0.4,0.4]]]}},
        {"type":"Feature","id":"b","properties":{"radius":20000},"geometry":{"type":"Point","coordinates":[0.5,0.2]}},
        {"type":"Feature","id":"c","properties":{"width":3000},"geometry":{"type":"LineString","coordinates":
        [[0.1,0.9],[0.7,0.3]]}},
        {"type":"Feature","id":"d","properties":{},"geometry":{"type":"Polygon","coordinates":
        [[[179,-17],[-179,-17],[-179,-16],[179,-16],[179,-17]]]}}]}
        """
    var set = RegionSet()
    set.regions = RegionFile.read(text.utf8).regions
    let path = scratchFolder + "/a.index"
    do {
        try SavedIndex.write(
            set, RegionIndex(set.catalog), sources: [], options: RegionOptions(),
            to: OutputFile(path, replacesExisting: true))
        return Array(try Data(contentsOf: URL(filePath: path)))
    } catch {
        preconditionFailure("the index is not written: \(error)")
    }
}()

/// A template, a zero, and the message that it writes.
private func readTemplate(_ bytes: [UInt8]) {
    var pieces = Pieces(bytes)
    let (template, message) = (pieces.text(), pieces.text())
    let problem = MessageTemplate.problem(with: template)
    precondition((MessageTemplate(template) == nil) == (problem != nil), "a template has no problem and is none")
    let style = MessageContext.Style(timeZone: .gmt, link: "https://example.org")
    for writer in [
        MessageWriter(title: template, body: template, style: style),
        MessageWriter(title: nil, body: nil, style: style),
    ] {
        for messages in [[message], [message, message]] {
            let written = writer.write(messages)
            precondition(written.title.count <= 200 && written.body.count <= 3000, "a message is too long")
            precondition(!written.title.contains { $0.isNewline } || messages.count != 1, "a title has two lines")
        }
    }
}

// MARK: Tiles

/// A folder in memory for files that are opened by their name.
let scratchFolder: String = {
    let folder = "/dev/shm/fencepost-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(atPath: scratchFolder) }
    return folder
}()

/// Waits for an asynchronous function, which runs on the threads of the runtime meanwhile.
func waiting<Value: Sendable>(for body: @escaping @Sendable () async -> Value) -> Value {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var value: Value?  // because the semaphore orders its only write and its only read
    Task.detached {
        value = await body()
        done.signal()
    }
    done.wait()
    return value!
}

private func readTiles(_ path: String) {
    waiting {
        guard let archive = try? TileFile.open(path) else { return }
        for (zoom, column, row) in [(0, 0, 0), (1, 1, 0), (2, 3, 3), (archive.info.zooms.upperBound, 0, 0)] {
            if let tile = try? await archive.tile(zoom: zoom, column: column, row: row) {
                precondition(tile.count <= TileFile.largestTile, "a tile is too large")
            }
        }
    }
}

private func readPMTiles(_ bytes: [UInt8]) {
    let path = scratchFolder + "/a.pmtiles"
    // Few changed bytes keep the first ones of the header.
    let header: [UInt8] = Array("PMTiles".utf8) + [3]
    try? Data(header + bytes.dropFirst(header.count)).write(to: URL(filePath: path))
    readTiles(path)
}

/// Rows of metadata and of tiles with values of any type: SQLite's columns keep what was written.
private func readMBTiles(_ bytes: [UInt8]) {
    let path = scratchFolder + "/a.mbtiles"
    try? FileManager.default.removeItem(atPath: path)
    guard let database = try? DatabaseQueue(path: path) else { return }
    var pieces = Pieces(bytes)
    try? database.write { db in
        try db.execute(
            sql: """
                CREATE TABLE metadata (name, value);
                CREATE TABLE tiles (zoom_level, tile_column, tile_row, tile_data);
                """)
        while !pieces.isEmpty {
            let isTile = pieces.byte() & 1 == 1
            let values = (0..<(isTile ? 4 : 2)).map { _ in value(&pieces) }
            try db.execute(
                sql: isTile ? "INSERT INTO tiles VALUES (?, ?, ?, ?)" : "INSERT INTO metadata VALUES (?, ?)",
                arguments: StatementArguments(values))
        }
    }
    try? database.close()
    readTiles(path)
}

private func value(_ pieces: inout Pieces) -> DatabaseValue {
    switch pieces.byte() % 6 {
    case 0: .null
    case 1: Int64(pieces.byte()).databaseValue
    case 2: Int64(bitPattern: (0..<8).reduce(UInt64(0)) { bits, _ in bits << 8 | UInt64(pieces.byte()) }).databaseValue
    case 3: (Double(pieces.number()) * 1e15).databaseValue
    case 4: Data(pieces.part()).databaseValue
    default: pieces.text().databaseValue
    }
}
