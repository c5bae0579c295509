/// Makes the bytes of a Parquet file, one row group after the other.
///
/// It holds the rows of no group that it has returned, only what the footer says of it.
public struct ParquetWriter {
    private let fields: [ParquetField]
    private let leaves: [ParquetField.Leaf]
    private let creator: String
    private let compressor: ZstdCompressor
    private var groups: [Group] = []
    private var rows: Int64 = 0
    private var offset: Int64 = 0

    private static let mark = Array("PAR1".utf8)

    /// A column of a row group, as the footer describes it.
    private struct Chunk {
        var encodings: [Int32]
        var values, uncompressedSize, compressedSize: Int64
        var dataOffset: Int64
        var dictionaryOffset: Int64?
        var nulls: Int64
        var range: (least: [UInt8], greatest: [UInt8])?
    }

    private struct Group {
        var rows: Int64
        var offset: Int64
        var chunks: [Chunk]
    }

    /// A file without rows.
    ///
    /// - Parameters:
    ///   - fields: the schema.
    ///   - creator: what the footer says of the program.
    /// - Throws: without memory.
    public init(_ fields: [ParquetField], creator: String) throws(ParquetError) {
        (self.fields, self.creator) = (fields, creator)
        leaves = fields.flatMap { $0.leaves() }
        compressor = try ZstdCompressor()
    }

    /// The first bytes of the file.
    public mutating func begin() -> [UInt8] {
        offset = Int64(Self.mark.count)
        return Self.mark
    }

    /// The next bytes of the file: a row group.
    ///
    /// - Parameters:
    ///   - columns: of the leaves of the schema, in their order.
    ///   - count: the number of rows.
    /// - Returns: the bytes.
    /// - Throws: without memory.
    public mutating func rowGroup(_ columns: [any ParquetColumn], rows count: Int) throws(ParquetError) -> [UInt8] {
        precondition(columns.count == leaves.count, "each leaf of the schema has a column")
        var bytes: [UInt8] = []
        var chunks: [Chunk] = []
        for column in columns { chunks.append(try chunk(column.pages, to: &bytes)) }
        groups.append(Group(rows: Int64(count), offset: offset, chunks: chunks))
        rows += Int64(count)
        offset += Int64(bytes.count)
        return bytes
    }

    /// The last bytes of the file.
    ///
    /// - Parameter metadata: keys and values of the footer.
    /// - Returns: the bytes.
    public func finish(metadata: [(key: String, value: String)]) -> [UInt8] {
        let footer = ThriftWriter.structure { writer in
            writer.field(1, Int32(1))
            let root = ParquetField.Element(name: "schema", children: Int32(fields.count))
            writer.list(2, [root] + fields.flatMap(\.elements)) { $0.members(of: $1) }
            writer.field(3, rows)
            writer.list(4, groups.enumerated().map { $0 }) { members(of: $1.element, number: $1.offset, to: &$0) }
            writer.list(5, metadata) { writer, entry in
                writer.field(1, entry.key)
                writer.field(2, entry.value)
            }
            writer.field(6, creator)
            // By the order of their types, for each column: readers ignore statistics without it.
            writer.list(7, leaves) { writer, _ in writer.field(1) { _ in } }
        }
        return footer + withUnsafeBytes(of: UInt32(footer.count).littleEndian) { Array($0) } + Self.mark
    }

    // MARK: - Row groups

    private func chunk(_ pages: ColumnPages, to bytes: inout [UInt8]) throws(ParquetError) -> Chunk {
        let start = bytes.count
        var uncompressed = 0
        var dictionaryOffset: Int64?
        if let dictionary = pages.dictionary {
            dictionaryOffset = offset + Int64(start)
            uncompressed += try append(dictionary.bytes, to: &bytes) { header in
                header.field(1, Int32(2))
                return { header in
                    header.field(7) { page in
                        page.field(1, Int32(dictionary.count))
                        page.field(2, ColumnPages.Encoding.plain.rawValue)
                    }
                }
            }
        }
        let dataOffset = offset + Int64(bytes.count)
        uncompressed += try append(pages.data, to: &bytes) { header in
            header.field(1, Int32(0))
            return { header in
                header.field(5) { page in
                    page.field(1, Int32(pages.values))
                    page.field(2, pages.encoding.rawValue)
                    page.field(3, ColumnPages.Encoding.levels.rawValue)
                    page.field(4, ColumnPages.Encoding.levels.rawValue)
                }
            }
        }
        var encodings = [ColumnPages.Encoding.levels.rawValue, pages.encoding.rawValue]
        if pages.dictionary != nil { encodings.append(ColumnPages.Encoding.plain.rawValue) }
        return Chunk(
            encodings: encodings, values: Int64(pages.values), uncompressedSize: Int64(uncompressed),
            compressedSize: Int64(bytes.count - start), dataOffset: dataOffset, dictionaryOffset: dictionaryOffset,
            nulls: Int64(pages.nulls), range: pages.range)
    }

    /// Appends a page.
    ///
    /// - Parameters:
    ///   - content: before it is compressed.
    ///   - bytes: where it is appended to.
    ///   - header: writes the fields before the sizes, and returns what writes those after them.
    /// - Returns: the size with its header, before compression.
    /// - Throws: without memory.
    private func append(
        _ content: [UInt8], to bytes: inout [UInt8],
        _ header: (inout ThriftWriter) -> (inout ThriftWriter) -> Void
    ) throws(ParquetError) -> Int {
        let compressed = try compressor.compress(content)
        let head = ThriftWriter.structure { writer in
            let rest = header(&writer)
            writer.field(2, Int32(content.count))
            writer.field(3, Int32(compressed.count))
            rest(&writer)
        }
        bytes += head
        bytes += compressed
        return head.count + content.count
    }

    // MARK: - Footer

    private func members(of group: Group, number: Int, to writer: inout ThriftWriter) {
        writer.list(1, zip(leaves, group.chunks).map { $0 }) { writer, column in
            let (leaf, chunk) = column
            writer.field(2, chunk.dictionaryOffset ?? chunk.dataOffset)
            writer.field(3) { members(of: chunk, leaf, to: &$0) }
        }
        writer.field(2, group.chunks.reduce(0) { $0 + $1.uncompressedSize })
        writer.field(3, group.rows)
        writer.field(5, group.offset)
        writer.field(6, group.chunks.reduce(0) { $0 + $1.compressedSize })
        // The number has sixteen bits, and readers do without it.
        if let number = Int16(exactly: number) { writer.field(7, number) }
    }

    private func members(of chunk: Chunk, _ leaf: ParquetField.Leaf, to writer: inout ThriftWriter) {
        writer.field(1, leaf.physical.rawValue)
        writer.list(2, chunk.encodings)
        writer.list(3, leaf.path)
        writer.field(4, Self.zstd)
        writer.field(5, chunk.values)
        writer.field(6, chunk.uncompressedSize)
        writer.field(7, chunk.compressedSize)
        writer.field(9, chunk.dataOffset)
        if let offset = chunk.dictionaryOffset { writer.field(11, offset) }
        writer.field(12) { statistics in
            statistics.field(3, chunk.nulls)
            guard let range = chunk.range else { return }
            statistics.field(5, range.greatest)
            statistics.field(6, range.least)
        }
    }

    /// The number of the codec.
    private static let zstd: Int32 = 6
}
