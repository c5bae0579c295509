import Foundation
import Testing

/// What commands print on a terminal; `openpty` makes one.
@Suite("On a terminal") struct TerminalTests {
    /// What the program prints on a terminal of so many columns, without colours.
    private static func output(_ arguments: [String], columns: UInt16) throws -> [String] {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        var (ours, theirs): (Int32, Int32) = (-1, -1)
        try #require(openpty(&ours, &theirs, nil, nil, &size) == 0)
        // A program that another test starts meanwhile must not hold the terminal open.
        for descriptor in [ours, theirs] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        defer { close(ours) }
        let process = try Program.start(
            arguments, input: FileHandle.nullDevice, output: FileHandle(fileDescriptor: theirs),
            errors: FileHandle.nullDevice)
        close(theirs)
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        // Linux reports an error at the end of a terminal.
        while case let count = read(ours, &part, part.count), count > 0 { bytes += part.prefix(count) }
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    }

    @Test(
        "text fits the width, and no word of it is lost",
        arguments: [
            ["watch", "--apps", "Regions/apps"], ["watch", "--explain"], ["trips"], ["report"],
            ["report", "--by", "region"], ["suggest"],
        ], [60, 80, 200] as [UInt16])
    func fits(command: [String], columns: UInt16) throws {
        let arguments =
            command + ["--regions", "Regions"] + (command[0] == "watch" ? ["--no-color"] : [])
            + [WatchTests.day]
        let lines = try Self.output(arguments, columns: columns)
        let plain = try Program.run(arguments + ["--output", "text"], input: Data())
        let words = { (lines: [String]) in lines.flatMap { $0.split(separator: " ") } }
        #expect(words(lines) == words(plain.lines))
        // A name that is longer than its column pushes what follows; words stay whole.
        for line in lines { #expect(line.count <= Int(columns), "\(line)") }
        if columns == 60, command[0] != "suggest" { #expect(lines.count > plain.lines.count) }
    }
}
