/// The values of one column, of the rows that are not written yet.
public protocol ParquetColumn {
    /// The pages of the column in a row group.
    var pages: ColumnPages { get }
    /// Removes all values and keeps their memory.
    mutating func removeAll()
}

/// The pages of one column in a row group, before they are compressed.
public struct ColumnPages: Sendable {
    enum Encoding: Int32 {
        case plain = 0
        case levels = 3
        case delta = 5
        case dictionary = 8
    }

    /// The values that the data has the indices of; `nil` for data without a dictionary.
    var dictionary: (bytes: [UInt8], count: Int)?
    /// Levels and values.
    var data: [UInt8]
    var encoding: Encoding
    /// How many values the data has, with those that are null.
    var values: Int
    var nulls: Int
    /// The least and the greatest value; `nil` if there is none, or where values have no order.
    var range: (least: [UInt8], greatest: [UInt8])?
}

/// Which rows have a value. Required columns have one in each.
@usableFromInline
struct Presence {
    @usableFromInline let isOptional: Bool
    @usableFromInline var levels: [UInt32] = []
    @usableFromInline var rows = 0
    @usableFromInline var nulls = 0

    @usableFromInline
    init(isOptional: Bool) { self.isOptional = isOptional }

    @inlinable
    mutating func append(_ hasValue: Bool) {
        rows += 1
        if !hasValue { nulls += 1 }
        if isOptional { levels.append(hasValue ? 1 : 0) }
    }

    mutating func removeAll() {
        levels.removeAll(keepingCapacity: true)
        (rows, nulls) = (0, 0)
    }

    /// The begin of the page: nothing for a required column.
    var bytes: [UInt8] {
        precondition(isOptional || nulls == 0, "a required column has a value in each row")
        return isOptional ? Self.bytes(levels, width: 1) : []
    }

    /// Levels with the number of their bytes before them.
    static func bytes(_ levels: [UInt32], width: Int) -> [UInt8] {
        let encoded = LevelEncoding.encode(levels, width: width)
        return withUnsafeBytes(of: UInt32(encoded.count).littleEndian) { Array($0) } + encoded
    }
}

// MARK: - Numbers

/// A number that a column can have.
public protocol ParquetNumber: Comparable, BitwiseCopyable, Sendable {
    /// The values in their encoding.
    static func encode(_ values: [Self]) -> (bytes: [UInt8], isDelta: Bool)
    /// The least and the greatest of the values; `nil` without any.
    static func range(of values: [Self]) -> (least: Self, greatest: Self)?
}

extension ParquetNumber {
    /// Each value with its own bytes.
    public static func encode(_ values: [Self]) -> (bytes: [UInt8], isDelta: Bool) {
        // Parquet is little-endian, and so is every system that Fencepost is built for.
        (values.withUnsafeBytes { Array($0) }, false)
    }

    /// The ends of the values.
    public static func range(of values: [Self]) -> (least: Self, greatest: Self)? {
        guard var least = values.first else { return nil }
        var greatest = least
        for value in values {
            if value < least { least = value }
            if value > greatest { greatest = value }
        }
        return (least, greatest)
    }
}

extension ParquetNumber where Self: BinaryFloatingPoint {
    /// The ends of the values that are numbers.
    ///
    /// Zero has two signs. Readers that compare bits find neither outside a range from -0.0 to 0.0.
    public static func range(of values: [Self]) -> (least: Self, greatest: Self)? {
        var (least, greatest) = (Self.infinity, -Self.infinity)
        for value in values {
            if value < least { least = value }
            if value > greatest { greatest = value }
        }
        guard least <= greatest else { return nil }
        return (least.isZero ? -0.0 : least, greatest.isZero ? 0.0 : greatest)
    }
}

extension Int32: ParquetNumber {}
extension Float: ParquetNumber {}
extension Double: ParquetNumber {}
extension Int64: ParquetNumber {
    /// Differences to the value before, which are small in times.
    public static func encode(_ values: [Self]) -> (bytes: [UInt8], isDelta: Bool) {
        (DeltaEncoding.encode(values), true)
    }
}

/// A column with numbers.
public struct NumberColumn<Value: ParquetNumber>: ParquetColumn {
    @usableFromInline var values: [Value] = []
    @usableFromInline var presence: Presence

    /// An empty column.
    public init(isOptional: Bool = false) { presence = Presence(isOptional: isOptional) }

    /// Appends a value, or null to an optional column.
    @inlinable
    public mutating func append(_ value: Value?) {
        presence.append(value != nil)
        if let value { values.append(value) }
    }

    public mutating func removeAll() {
        values.removeAll(keepingCapacity: true)
        presence.removeAll()
    }

    public var pages: ColumnPages {
        let encoded = Value.encode(values)
        let range = Value.range(of: values).map { range in
            (
                least: withUnsafeBytes(of: range.least) { Array($0) },
                greatest: withUnsafeBytes(of: range.greatest) { Array($0) }
            )
        }
        return ColumnPages(
            data: presence.bytes + encoded.bytes, encoding: encoded.isDelta ? .delta : .plain,
            values: presence.rows, nulls: presence.nulls, range: range)
    }
}

/// A column with truth values.
public struct FlagColumn: ParquetColumn {
    private var values: [Bool] = []
    private var presence: Presence

    /// An empty column.
    public init(isOptional: Bool = false) { presence = Presence(isOptional: isOptional) }

    /// Appends a value, or null to an optional column.
    public mutating func append(_ value: Bool?) {
        presence.append(value != nil)
        if let value { values.append(value) }
    }

    public mutating func removeAll() {
        values.removeAll(keepingCapacity: true)
        presence.removeAll()
    }

    public var pages: ColumnPages {
        var data = presence.bytes
        var packer = BitPacker(width: 1)
        for value in values { packer.append(value ? 1 : 0, to: &data) }
        for _ in 0..<(8 - values.count % 8) % 8 { packer.append(0, to: &data) }
        let range =
            values.isEmpty
            ? nil : ([values.allSatisfy(\.self) ? 1 : 0] as [UInt8], [values.contains(true) ? 1 : 0] as [UInt8])
        return ColumnPages(
            data: data, encoding: .plain, values: presence.rows, nulls: presence.nulls, range: range)
    }
}
