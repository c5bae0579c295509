public import FencepostModel
internal import Foundation

extension DeviceID {
    /// Reads a device's name: 1 to 128 characters, none of them a control character; put into NFC.
    public init(validating name: String) throws(Rejection) {
        // Nearly every name is of printable ASCII, about which nothing else has to be asked.
        let bytes = name.utf8
        if bytes.count <= 128, !bytes.isEmpty, bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) {
            self.init(name)
            return
        }
        let composed = name.precomposedStringWithCanonicalMapping
        guard !composed.isEmpty else { throw Rejection(.invalidDeviceID, "the device's name is empty") }
        guard composed.count <= 128 else {
            throw Rejection(.invalidDeviceID, "the device's name has more than 128 characters")
        }
        guard !composed.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw Rejection(.invalidDeviceID, "the device's name has a control character in it")
        }
        self.init(composed)
    }
}

/// The names of devices that a reader has met, so that each is checked and made a string of once.
struct DeviceNames {
    private struct Entry {
        var bytes: [UInt8]
        var result: Result<DeviceID, Rejection>
    }

    private var entries: [Entry] = []
    /// Entries by the hash of their bytes.
    private var places: [UInt64: [Int]] = [:]
    private var last = 0

    /// A stream of ever new names must not fill the memory.
    private static let capacity = 65_536

    /// The device that goes by this name.
    mutating func device(named name: UnsafeBufferPointer<UInt8>) throws(Rejection) -> DeviceID {
        // Fixes of one device come in runs.
        if last < entries.count, DeviceNames.isEqual(entries[last].bytes, name) {
            return try entries[last].result.get()
        }
        let hash = DeviceNames.hash(name)
        if let place = places[hash]?.first(where: { DeviceNames.isEqual(entries[$0].bytes, name) }) {
            last = place
            return try entries[place].result.get()
        }
        if entries.count >= DeviceNames.capacity {
            entries.removeAll()
            places.removeAll()
        }
        let result: Result<DeviceID, Rejection>
        do throws(Rejection) {
            result = .success(try DeviceID(validating: String(decoding: name, as: UTF8.self)))
        } catch {
            result = .failure(error)
        }
        last = entries.count
        places[hash, default: []].append(last)
        entries.append(Entry(bytes: Array(name), result: result))
        return try result.get()
    }

    private static func isEqual(_ bytes: [UInt8], _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count == name.count else { return false }
        return bytes.withUnsafeBufferPointer { bytes in
            guard let a = bytes.baseAddress, let b = name.baseAddress else { return true }
            return memcmp(a, b, bytes.count) == 0
        }
    }

    /// FNV-1a; names that collide on purpose only share an entry of the table, whose bytes are compared.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }
}
