import Foundation
import Testing

@testable import FencepostService

/// The table of keys in the reference, compared with the keys that are read.
@Suite("The reference of the configuration") struct ConfigurationReferenceTests {
    /// The keys of rules K4 and K8, with whether a running service applies them.
    ///
    /// `.port` continues the section of the key before it.
    private static func rows() throws -> [String: Bool] {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
        let text = try String(contentsOf: package.appending(path: "docs/reference/configuration.md"), encoding: .utf8)
        let (first, end) = try (#require(text.range(of: "<a id=\"k4\">")), #require(text.range(of: "<a id=\"k5\">")))
        var rows: [String: Bool] = [:]
        for line in text[first.upperBound..<end.lowerBound].split(separator: "\n") where line.hasPrefix("| `") {
            let cell = line.dropFirst().prefix { $0 != "|" }
            var section: Substring = ""
            for (index, piece) in cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            where index % 2 == 1 {
                let key = piece.hasPrefix(".") ? section + piece : piece
                section = key.prefix(upTo: key.lastIndex(of: ".") ?? key.startIndex)
                rows[String(key)] = cell.contains("↻")
            }
        }
        return rows
    }

    @Test("has each key once, and no other, with the mark of those that need no restart") func table() throws {
        let rows = try Self.rows()
        let keys = Dictionary(
            uniqueKeysWithValues: ConfigurationKey.all.map { ($0.names.joined(separator: "."), !$0.needsRestart) })
        #expect(keys.count > 60)
        for (key, isApplied) in keys { #expect(rows[key] == isApplied, "\(key)") }
        // The endpoints are no key of the table in the code, since an array has no variable of the environment.
        #expect(Set(rows.keys).subtracting(keys.keys) == ["endpoints"])
    }
}
