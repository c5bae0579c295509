public import Foundation

/// Reads the code signature of an executable in Mach-O format, as an `.app` and an `.ipa` contain it.
public enum CodeSignature {
    private static let signatureCommand: UInt32 = 0x1d
    private static let embeddedSignature: UInt32 = 0xfade_0cc0
    private static let entitlementsSlot: UInt32 = 5
    private static let entitlementsMagic: UInt32 = 0xfade_7171

    /// The entitlements that an executable was signed with.
    ///
    /// - Parameter executable: the bytes of the executable, for one architecture or for several.
    /// - Returns: a property list; `nil` without a signature, without entitlements, and for other bytes.
    public static func entitlements(of executable: Data) -> Data? {
        let file = Reader(data: executable)
        for start in architectures(of: file) {
            if let signature = signature(of: file, at: start), let list = entitlements(of: file, in: signature) {
                return list
            }
        }
        return nil
    }

    /// Where the executables of the architectures start.
    private static func architectures(of file: Reader) -> [Int] {
        guard let magic = file.bigEndian(at: 0), let count = file.bigEndian(at: 4) else { return [] }
        // A file for several architectures begins with a table, whose numbers are big-endian. Few are in use.
        switch magic {
        case 0xcafe_babe: return (0..<min(Int(count), 16)).compactMap { file.bigEndian(at: 16 + 20 * $0).map(Int.init) }
        case 0xcafe_babf: return (0..<min(Int(count), 16)).compactMap { file.bigEndian(at: 20 + 32 * $0).map(Int.init) }
        default: return [0]
        }
    }

    /// Where the signature of the executable at an offset starts.
    private static func signature(of file: Reader, at start: Int) -> Int? {
        let header: Int
        switch file.littleEndian(at: start) {
        case 0xfeed_facf: header = 32
        case 0xfeed_face: header = 28
        default: return nil
        }
        guard let count = file.littleEndian(at: start + 16) else { return nil }
        var position = start + header
        for _ in 0..<min(count, 4096) {
            guard let command = file.littleEndian(at: position), let size = file.littleEndian(at: position + 4), size >= 8
            else { return nil }
            if command == signatureCommand { return file.littleEndian(at: position + 8).map { start + Int($0) } }
            position += Int(size)
        }
        return nil
    }

    /// The property list in a signature, whose numbers are big-endian.
    private static func entitlements(of file: Reader, in signature: Int) -> Data? {
        guard file.bigEndian(at: signature) == embeddedSignature, let count = file.bigEndian(at: signature + 8) else {
            return nil
        }
        for index in 0..<min(Int(count), 64) {
            guard let slot = file.bigEndian(at: signature + 12 + 8 * index),
                let offset = file.bigEndian(at: signature + 16 + 8 * index)
            else { return nil }
            guard slot == entitlementsSlot else { continue }
            let blob = signature + Int(offset)
            guard file.bigEndian(at: blob) == entitlementsMagic, let length = file.bigEndian(at: blob + 4) else {
                return nil
            }
            return file.bytes(from: blob + 8, to: blob + Int(length))
        }
        return nil
    }

    /// Bytes, of which those behind the end are `nil`.
    private struct Reader {
        var data: Data

        func bytes(from start: Int, to end: Int) -> Data? {
            guard start >= 0, start <= end, end <= data.count else { return nil }
            return data[data.startIndex + start..<data.startIndex + end]
        }

        func bigEndian(at offset: Int) -> UInt32? {
            bytes(from: offset, to: offset + 4)?.reduce(0) { $0 << 8 | UInt32($1) }
        }

        func littleEndian(at offset: Int) -> UInt32? { bigEndian(at: offset)?.byteSwapped }
    }
}
