import FencepostSimulator
import Foundation
import Testing

@Suite("Code signatures") struct CodeSignatureTests {
    private static let list = Data("<plist version=\"1.0\"><dict><key>a</key><true/></dict></plist>".utf8)

    /// Numbers of 32 bits.
    private static func words(_ words: [UInt32], isBig: Bool = false) -> Data {
        Data(words.flatMap { word in unsafe withUnsafeBytes(of: isBig ? word.bigEndian : word.littleEndian, Array.init) })
    }

    /// An executable for one architecture, with another load command and another part of the signature first.
    private static func executable(magic: UInt32 = 0xfeed_facf, slot: UInt32 = 5) -> Data {
        let list = words([0xfade_7171, UInt32(8 + Self.list.count)], isBig: true) + Self.list
        let requirements = words([0xfade_0c01, 12, 0], isBig: true)
        let parts: [UInt32] = [2, 28, slot, UInt32(28 + requirements.count)]
        let length = UInt32(28 + requirements.count + list.count)
        let signature = words([0xfade_0cc0, length, 2] + parts, isBig: true) + requirements + list
        let header = words([magic, 0x100_000c, 0, 2, 2, 40, 0] + (magic == 0xfeed_facf ? [0] : []))
        let start = UInt32(header.count + 40 + 8)
        let commands = words([2, 24, 0, 0, 0, 0, 0x1d, 16, start, UInt32(signature.count)])
        return header + commands + Data(count: 8) + signature
    }

    @Test("have the entitlements, for one architecture and for several")
    func entitlements() {
        for magic: UInt32 in [0xfeed_facf, 0xfeed_face] {
            let executable = Self.executable(magic: magic)
            #expect(CodeSignature.entitlements(of: executable) == Self.list)
            let unsigned = Self.executable(magic: magic, slot: 7)
            let size = UInt32(unsigned.count)
            let table: [UInt32] = [0xcafe_babe, 2, 12, 0, 48, size, 0, 7, 3, 48 + size, UInt32(executable.count), 0]
            #expect(CodeSignature.entitlements(of: Self.words(table, isBig: true) + unsigned + executable) == Self.list)
        }
    }

    @Test("are missing in other bytes, and cut or changed ones do no harm")
    func damaged() {
        let executable = Self.executable()
        #expect(CodeSignature.entitlements(of: Self.executable(slot: 7)) == nil)
        for length in 0..<executable.count { #expect(CodeSignature.entitlements(of: executable.prefix(length)) == nil) }
        for index in executable.indices {
            for value: UInt8 in [0, 0x7f, 0xff] {
                var changed = executable
                changed[index] = value
                #expect(CodeSignature.entitlements(of: changed)?.count ?? 0 <= changed.count)
            }
        }
    }
}
