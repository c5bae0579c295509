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

/// The names of devices that a reader has met, each with a number from 0, so that each is checked and made a string of
/// once. Names that no device can have are not kept.
///
/// A table with open addressing. A name of up to 16 bytes lies in its slot, so that finding it touches one line of the
/// cache; of longer ones the rest is compared where it was kept.
struct DeviceNames {
    private struct Slot {
        /// The first 16 bytes, with zeros behind a shorter name.
        var first: UInt64 = 0
        var second: UInt64 = 0
        var length: Int32 = 0
        /// -1 where the slot is empty.
        var number: Int32 = -1
    }

    /// By number.
    private(set) var devices: [DeviceID] = []
    private var slots = Array(repeating: Slot(), count: 16)
    /// The names of more than 16 bytes, one behind the other, and by number where each begins.
    private var longNames: [UInt8] = []
    private var starts: [Int] = []
    private let capacity: Int
    private let seed: UInt64

    /// How many of them an ordinary reader keeps: a stream of ever new names must not fill the memory.
    static let ordinaryCapacity = 65_536

    /// - Parameter capacity: how many names are kept; then all are forgotten, and numbers begin anew.
    init(capacity: Int = DeviceNames.ordinaryCapacity) {
        self.capacity = capacity
        // Names that are made to collide collide in no other process; what is read does not depend on it.
        var hasher = Hasher()
        hasher.combine(0)
        seed = UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }

    /// The device that goes by this name.
    mutating func device(named name: UnsafeBufferPointer<UInt8>) throws(Rejection) -> DeviceID {
        devices[Int(try number(of: name))]
    }

    /// The number of a name.
    mutating func number(of name: UnsafeBufferPointer<UInt8>) throws(Rejection) -> Int32 {
        let key = key(of: name)
        let found = find(key) { start in zip(name, longNames[start...]).allSatisfy { $0 == $1 } }
        return found >= 0 ? found : try add(name, key)
    }

    /// The number of a name that stands in a JSON string without an escape.
    ///
    /// - Parameter start: the byte behind the opening quote. Eight bytes have to be readable beyond any plain text.
    /// - Returns: the number and where the closing quote is; -1 where the name is to be read in the slow way.
    @inline(__always)
    mutating func number(inQuotes start: UnsafePointer<UInt8>) -> (number: Int32, end: UnsafePointer<UInt8>) {
        var key = Key(hash: seed)
        var end = start
        var seen: UInt64 = 0
        while true {
            let word = WordScan.word(at: end)
            let marks = WordScan.ends(of: word)
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
        let number = find(key) { place in
            longNames.withUnsafeBufferPointer { kept in
                kept.baseAddress.map { memcmp($0 + place, start, end - start) == 0 } ?? false
            }
        }
        if number >= 0 { return (number, end) }
        // Whether bytes beyond ASCII are UTF-8 is found out in the slow way, which keeps the name too.
        guard seen & WordScan.highBits == 0 else { return (-1, end) }
        return ((try? self.number(of: UnsafeBufferPointer(start: start, count: end - start))) ?? -1, end)
    }

    /// Forgets all names; numbers begin anew.
    mutating func removeAll() {
        devices.removeAll(keepingCapacity: true)
        longNames.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        for place in slots.indices { slots[place] = Slot() }
    }

    /// What a name is found by.
    private struct Key {
        var first: UInt64 = 0
        var second: UInt64 = 0
        var length: Int32 = 0
        var hash: UInt64

        init(hash: UInt64) { self.hash = hash }

        /// - Parameter word: with zeros behind its `count` bytes, 1 to 8; eight in all words but the last.
        @inline(__always)
        mutating func add(_ word: UInt64, count: Int) {
            if length == 0 { first = word } else if length == 8 { second = word }
            length &+= Int32(truncatingIfNeeded: count)
            let (high, low) = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
            hash = (high ^ low) &+ UInt64(truncatingIfNeeded: count)
        }
    }

    private func key(of name: UnsafeBufferPointer<UInt8>) -> Key {
        var key = Key(hash: seed)
        var start = 0
        while start < name.count {
            let count = min(8, name.count - start)
            var word: UInt64 = 0
            for place in 0..<count { word |= UInt64(name[start + place]) << UInt64(place * 8) }
            key.add(word, count: count)
            start += count
        }
        return key
    }

    /// - Parameter isSame: whether the long name that begins at a place, and has the same length, is the same.
    /// - Returns: -1 where the name is not in the table.
    @inline(__always)
    private func find(_ key: Key, isSame: (Int) -> Bool) -> Int32 {
        let mask = slots.count &- 1
        var place = Int(truncatingIfNeeded: key.hash) & mask
        while true {
            let slot = slots[place]
            if slot.number < 0 { return -1 }
            if slot.first == key.first, slot.second == key.second, slot.length == key.length,
                key.length <= 16 || isSame(starts[Int(slot.number)])
            {
                return slot.number
            }
            place = (place &+ 1) & mask
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
        // At most three quarters full, so that few lookups go on to another slot.
        if devices.count * 4 > slots.count * 3 { grow() }
        place(Slot(first: key.first, second: key.second, length: key.length, number: number), hash: key.hash)
        return number
    }

    private mutating func place(_ slot: Slot, hash: UInt64) {
        let mask = slots.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while slots[place].number >= 0 { place = (place + 1) & mask }
        slots[place] = slot
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
            place(slot, hash: key.hash)
        }
    }
}
