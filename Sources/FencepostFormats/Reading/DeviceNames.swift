public import FencepostModel
internal import Foundation

extension DeviceID {
    /// Validates a device's name: 1 to 128 characters without control characters; normalises it to NFC.
    public init(validating name: String) throws(Rejection) {
        // Almost every name is printable ASCII, which needs no further checks.
        let bytes = name.utf8
        if bytes.count <= 128, !bytes.isEmpty, bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) {
            self.init(name)
            return
        }
        guard !bytes.isEmpty else { throw Rejection(.invalidDeviceID, "the device's name is empty") }
        guard let composed = TextLimit.deviceID.composed(name) else {
            throw Rejection(.invalidDeviceID, "the device's name has more than 128 characters")
        }
        guard !composed.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw Rejection(.invalidDeviceID, "the device's name has a control character in it")
        }
        self.init(composed)
    }
}

/// A table of device names, each with a number from 0, so every name is validated and converted to a string once.
/// Invalid names are not stored.
///
/// It uses open addressing with linear probing. A name of up to 16 bytes is stored in its slot, so a lookup touches one
/// cache line; for longer names the full bytes are compared in `longNames`.
struct DeviceNames {
    private struct Slot {
        /// The first 16 bytes, padded with zeros.
        var first: UInt64 = 0
        var second: UInt64 = 0
        var length: Int32 = 0
        /// −1 for an empty slot.
        var number: Int32 = -1
    }

    /// By number.
    private(set) var devices: [DeviceID] = []
    private var slots = Array(repeating: Slot(), count: 16)
    /// The names of more than 16 bytes, concatenated, and the start of each by number.
    private var longNames: [UInt8] = []
    private var starts: [Int] = []
    private let capacity: Int
    private let seed: UInt64

    /// The default number of names: a stream with new names all the time must not fill the memory.
    static let ordinaryCapacity = 65_536

    /// - Parameter capacity: the maximum number of names; when it is exceeded all are removed and numbers restart at 0.
    init(capacity: Int = DeviceNames.ordinaryCapacity) {
        self.capacity = capacity
        // A seed per process prevents collision attacks; results do not depend on it.
        var hasher = Hasher()
        hasher.combine(0)
        seed = UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }

    /// The device with this name.
    mutating func device(named name: UnsafeBufferPointer<UInt8>) throws(Rejection) -> DeviceID {
        devices[Int(try number(of: name))]
    }

    /// The number of a name.
    mutating func number(of name: UnsafeBufferPointer<UInt8>) throws(Rejection) -> Int32 {
        let key = key(of: name)
        let found = find(key) { start in zip(name, longNames[start...]).allSatisfy { $0 == $1 } }
        return found >= 0 ? found : try add(name, key)
    }

    /// The number of a name in a JSON string without escapes.
    ///
    /// - Parameter start: the byte after the opening quote. Eight bytes must be readable beyond any plain text.
    /// - Returns: the number and the position of the closing quote; −1 where the full parser must read the name.
    ///
    /// Not inlined, so that the values of the loop over the fields of a line stay in registers.
    @inline(never)
    mutating func number(inQuotes start: UnsafePointer<UInt8>) -> (number: Int32, end: UnsafePointer<UInt8>) {
        var key = Key(hash: seed)
        var end = start
        var seen: UInt64 = 0
        while true {
            let word = WordScan.word(at: end)
            let marks = WordScan.plainTextEnds(of: word)
            guard marks != 0 else {
                seen |= word
                key.add(word, count: 8)
                end += 8
                continue
            }
            let count = WordScan.count(before: marks)
            let last = WordScan.head(word, count: count)
            seen |= last
            if count > 0 { key.add(last, count: count) }
            end += count
            break
        }
        guard end.pointee == UInt8(ascii: "\"") else { return (-1, end) }
        let number = find(key) { nameStart in
            longNames.withUnsafeBufferPointer { kept in
                kept.baseAddress.map { memcmp($0 + nameStart, start, end - start) == 0 } ?? false
            }
        }
        if number >= 0 { return (number, end) }
        // Names beyond ASCII need UTF-8 validation, which `number(of:)` does when it stores them.
        guard seen & WordScan.highBits == 0 else { return (-1, end) }
        return ((try? self.number(of: UnsafeBufferPointer(start: start, count: end - start))) ?? -1, end)
    }

    /// Removes all names; numbers restart at 0.
    mutating func removeAll() {
        devices.removeAll(keepingCapacity: true)
        longNames.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        for index in slots.indices { slots[index] = Slot() }
    }

    /// The lookup key of a name.
    private struct Key {
        var first: UInt64 = 0
        var second: UInt64 = 0
        var length: Int32 = 0
        var hash: UInt64

        init(hash: UInt64) { self.hash = hash }

        /// Adds a word, padded with zeros after its `count` bytes, 1 to 8; only the last word may have fewer than 8.
        @inline(__always)
        mutating func add(_ word: UInt64, count: Int) {
            if length == 0 { first = word } else if length == 8 { second = word }
            length &+= Int32(truncatingIfNeeded: count)
            hash = WordHash.combine(hash, word) &+ UInt64(truncatingIfNeeded: count)
        }
    }

    private func key(of name: UnsafeBufferPointer<UInt8>) -> Key {
        var key = Key(hash: seed)
        var start = 0
        while start < name.count {
            let count = min(8, name.count - start)
            var word: UInt64 = 0
            for index in 0..<count { word |= UInt64(name[start + index]) << UInt64(index * 8) }
            key.add(word, count: count)
            start += count
        }
        return key
    }

    /// The number of a name; −1 if it is not in the table. `isSame` is whether the long name that begins at an offset,
    /// and has the same length, is equal.
    @inline(__always)
    private func find(_ key: Key, isSame: (Int) -> Bool) -> Int32 {
        let mask = slots.count &- 1
        var index = Int(truncatingIfNeeded: key.hash) & mask
        while true {
            let slot = slots[index]
            if slot.number < 0 { return -1 }
            if slot.first == key.first, slot.second == key.second, slot.length == key.length,
                key.length <= 16 || isSame(starts[Int(slot.number)])
            {
                return slot.number
            }
            index = (index &+ 1) & mask
        }
    }

    @inline(never)
    private mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ key: Key) throws(Rejection) -> Int32 {
        let device = try DeviceID(validating: String(decoding: name, as: UTF8.self))
        if devices.count >= capacity { removeAll() }
        let number = Int32(devices.count)
        devices.append(device)
        starts.append(longNames.count)
        if name.count > 16 { longNames.append(contentsOf: name) }
        // At most three quarters full, which keeps probe sequences short.
        if devices.count * 4 > slots.count * 3 { grow() }
        insert(Slot(first: key.first, second: key.second, length: key.length, number: number), hash: key.hash)
        return number
    }

    private mutating func insert(_ slot: Slot, hash: UInt64) {
        let mask = slots.count - 1
        var index = Int(truncatingIfNeeded: hash) & mask
        while slots[index].number >= 0 { index = (index + 1) & mask }
        slots[index] = slot
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(), count: old.count * 2)
        for slot in old where slot.number >= 0 {
            var key = Key(hash: seed)
            let length = Int(slot.length)
            if length > 16 {
                let start = starts[Int(slot.number)]
                key = longNames[start..<start + length].withUnsafeBufferPointer { self.key(of: $0) }
            } else {
                if length > 0 { key.add(slot.first, count: min(length, 8)) }
                if length > 8 { key.add(slot.second, count: length - 8) }
            }
            insert(slot, hash: key.hash)
        }
    }
}
