import Foundation
import Testing

@testable import FencepostAppCommands

@Suite("An app's archive") struct AppArchiveTests {
    /// Writes an archive with Python's zipfile, which uses zlib.
    private func archive(_ code: String) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).zip")
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c", "import zipfile,random\nz=zipfile.ZipFile('\(file.path)','w')\n\(code)\nz.close()",
        ]
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return Array(try Data(contentsOf: file))
    }

    private static let code = """
        random.seed(7)
        texts=[b'', b'a', b'abc'*50000, bytes(random.randrange(256) for _ in range(70000)),
          b''.join(random.choice([b'<key>',b'</key>',b'NS',b'Location',b' ']) for _ in range(20000))]
        for level in range(0,10):
          for n,t in enumerate(texts):
            z.writestr('%d/%d'%(level,n), t, zipfile.ZIP_STORED if level==0 else zipfile.ZIP_DEFLATED, max(1,level))
        """

    @Test("gives the files that zlib packed, by every level") func contents() throws {
        let archive = try AppArchive(try archive(Self.code))
        let members = try archive.members(maximumSize: 1 << 20) { _ in true }
        #expect(members.count == 50)
        let stored = members.prefix(5).map(\.bytes)
        #expect(stored.map(\.count).prefix(4) == [0, 1, 150_000, 70_000])
        for (index, member) in members.enumerated() { #expect(member.bytes == stored[index % 5], "\(member.name)") }
    }

    @Test("refuses larger files") func sizes() throws {
        let archive = try AppArchive(try archive(Self.code))
        #expect(throws: AppArchive.Corrupt.self) { try archive.members(maximumSize: 1000) { $0 == "9/2" } }
        #expect(throws: Never.self) { try archive.members(maximumSize: 1000) { $0 == "9/1" } }
    }

    @Test("refuses corrupt bytes and never fails otherwise", arguments: 0..<200) func corrupt(round: Int) throws {
        var bytes = Self.sample
        let index = bytes.count * round / 200
        bytes[index] ^= UInt8(truncatingIfNeeded: 1 << (round % 8))
        let contents = Result { try AppArchive(bytes).members(maximumSize: 1 << 20) { _ in true }.map(\.bytes) }
        if case .success(let contents) = contents {
            // A bit of a name or a time changes nothing of the content.
            #expect(contents.allSatisfy { $0 == Array(repeating: UInt8(ascii: "x"), count: $0.count) })
        }
        _ = try? AppArchive(Array(bytes[..<index])).members(maximumSize: 1 << 20) { _ in true }
    }

    /// Two files, deflated and stored.
    private static let sample: [UInt8] = {
        let text =
            "UEsDBBQAAAAIAAAAIQADimKsBgAAADIAAAABAAAAYauoIBUAAFBLAwQUAAAAAAAAACEACuqbHAMAAAADAAAAAQAAAGJ4eHhQSwEC"
            + "FAMUAAAACAAAACEAA4pirAYAAAAyAAAAAQAAAAAAAAAAAAAAgAEAAAAAYVBLAQIUAxQAAAAAAAAAIQAK6pscAwAAAAMAAAABAAAA"
            + "AAAAAAAAAACAASUAAABiUEsFBgAAAAACAAIAXgAAAEcAAAAAAA=="
        return Array(Data(base64Encoded: text) ?? Data())
    }()
}
