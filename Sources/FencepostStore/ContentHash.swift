import FencepostCrypto
import Foundation

/// The hash of a row's content, stored with the row (rule D8).
///
/// SQLite has no checksums of pages: a flipped bit in a text or in a blob would go unnoticed. It is the first 8 bytes of
/// SHA-256 over the values, each with its type and length.
struct ContentHash {
    private var bytes: [UInt8] = []

    init(capacity: Int = 512) { bytes.reserveCapacity(capacity) }

    mutating func add(_ number: Int64?) {
        guard let number else { return bytes.append(0) }
        bytes.append(1)
        append(number)
    }

    mutating func add(_ text: String?) {
        guard let text else { return bytes.append(0) }
        bytes.append(2)
        append(Int64(text.utf8.count))
        bytes += text.utf8
    }

    mutating func add(_ data: Data?) {
        guard let data else { return bytes.append(0) }
        bytes.append(3)
        append(Int64(data.count))
        bytes += data
    }

    private mutating func append(_ number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }

    /// The value of the column `hash`.
    var value: Int64 {
        SHA256.hash(bytes).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}

extension ContentHash {
    /// The hash of a row of `event`.
    ///
    /// More than five parameters, because each is a column.
    static func event(
        id: String, type: String, device: String?, region: String?, timestamp: Int64, receivedAt: Int64, body: String,
        why: String?, packed: Data?, visit: String?
    ) -> Int64 {
        var hash = ContentHash(capacity: 2 * body.utf8.count + (packed?.count ?? 0) + 256)
        for text in [id, type, device, region, body, why, visit] { hash.add(text) }
        hash.add(timestamp)
        hash.add(receivedAt)
        // Rows of early versions have no such column.
        if packed != nil { hash.add(packed) }
        return hash.value
    }

    /// The hash of a row of `delivery`, without the columns that change with its attempts.
    ///
    /// More than five parameters, because each is a column.
    static func delivery(
        id: String, endpoint: String, event: String, device: String?, createdAt: Int64, headers: String, body: String
    ) -> Int64 {
        var hash = ContentHash(capacity: body.utf8.count + headers.utf8.count + 256)
        for text in [id, endpoint, event, device, headers, body] { hash.add(text) }
        hash.add(createdAt)
        return hash.value
    }

    /// The hash of a row of `log`.
    ///
    /// More than five parameters, because each is a column.
    static func log(
        position: Int64, receivedAt: Int64, advancesClock: Bool, count: Int, devices: Data?, fixes: Data?
    ) -> Int64 {
        var hash = ContentHash(capacity: (devices?.count ?? 0) + (fixes?.count ?? 0) + 64)
        for number in [position, receivedAt, advancesClock ? 1 : 0, Int64(count)] { hash.add(number) }
        hash.add(devices)
        hash.add(fixes)
        return hash.value
    }

    /// The hash of a row of `segment`. Its other columns follow from the fixes.
    static func segment(device: String, fixes: Data) -> Int64 {
        var hash = ContentHash(capacity: fixes.count + 64)
        hash.add(device)
        hash.add(fixes)
        return hash.value
    }
}
