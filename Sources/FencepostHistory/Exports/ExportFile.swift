import FencepostModel
package import FencepostParquet

/// Makes the bytes of an exported file of its rows: what is not written yet stays in memory, at most a row group or a trajectory.
package struct ExportFile {
    private var encoder: any ExportEncoder
    /// The number of rows, of trajectories for a format with these.
    package var rows: Int { encoder.rows }

    /// A file without rows.
    ///
    /// - Parameters:
    ///   - kind: the rows.
    ///   - format: one that holds such rows.
    /// - Throws: without memory.
    package init(_ kind: ExportKind, _ format: ExportFormat) throws(ParquetError) {
        precondition(format.holds(kind), "the format holds rows of this kind")
        switch (format, kind) {
        case (.geoparquet, .locations): encoder = try GeoParquetEncoder<LocationTable>()
        case (.geoparquet, .visits): encoder = try GeoParquetEncoder<VisitTable>()
        case (.geoparquet, .trips): encoder = try GeoParquetEncoder<TripTable>()
        case (.geoparquet, .events): encoder = try GeoParquetEncoder<EventTable>()
        case (.mfJSON, _): encoder = TrajectoryEncoder()
        }
    }

    /// The first bytes.
    package mutating func begin() -> [UInt8] { encoder.begin() }

    /// Adds rows.
    ///
    /// - Parameter batch: rows of the file's kind.
    /// - Returns: the next bytes; empty while there are too few rows for the next part.
    /// - Throws: without memory.
    package mutating func append(_ batch: ExportBatch) throws(ParquetError) -> [UInt8] { try encoder.append(batch) }

    /// The last bytes.
    package mutating func finish() throws(ParquetError) -> [UInt8] { try encoder.finish() }
}

/// Makes the bytes of a file in one format.
protocol ExportEncoder {
    var rows: Int { get }
    mutating func begin() -> [UInt8]
    mutating func append(_ batch: ExportBatch) throws(ParquetError) -> [UInt8]
    mutating func finish() throws(ParquetError) -> [UInt8]
}

/// A GeoParquet file of rows of one kind.
struct GeoParquetEncoder<Table: ExportTable>: ExportEncoder {
    private var table = Table()
    private var writer: ParquetWriter
    private var pending = 0
    private(set) var rows = 0

    /// As many as DuckDB writes, so that two threads have work from 250,000 rows on, and small enough for the memory of a row group.
    private static var rowsOfGroup: Int { 122_880 }
    /// The size from which a row group with long values has fewer rows.
    private static var bytesOfGroup: Int { 16 << 20 }

    init() throws(ParquetError) {
        writer = try ParquetWriter(Table().fields, creator: "Fencepost \(FencepostVersion.current)")
    }

    mutating func begin() -> [UInt8] { writer.begin() }

    mutating func append(_ batch: ExportBatch) throws(ParquetError) -> [UInt8] {
        var bytes: [UInt8] = []
        for row in Table.rows(of: batch) {
            table.append(row)
            pending += 1
            if pending == Self.rowsOfGroup || table.byteCount >= Self.bytesOfGroup { bytes += try group() }
        }
        return bytes
    }

    mutating func finish() throws(ParquetError) -> [UInt8] {
        let last = pending > 0 ? try group() : []
        return last + writer.finish(metadata: [("geo", table.geometry.metadata)])
    }

    private mutating func group() throws(ParquetError) -> [UInt8] {
        let bytes = try writer.rowGroup(table.columns, rows: pending)
        table.removeAll()
        rows += pending
        pending = 0
        return bytes
    }
}

/// The columns of the rows of one kind.
protocol ExportTable {
    associatedtype Row
    init()
    /// The rows of a batch of the kind.
    static func rows(of batch: ExportBatch) -> [Row]
    var fields: [ParquetField] { get }
    /// The columns, in the order of the leaves of the fields.
    var columns: [any ParquetColumn] { get }
    var geometry: GeometryColumn { get }
    /// How many bytes the long values have.
    var byteCount: Int { get }
    mutating func append(_ row: Row)
    mutating func removeAll()
}
