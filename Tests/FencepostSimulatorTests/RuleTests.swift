import FencepostSimulator
import FencepostTesting
import Foundation
import Testing

@Suite("Rules") struct RuleTests {
    static let book = SharedData.folder.deletingLastPathComponent().appending(path: "core-location-rules.md")

    @Test("have one row for each id, in order") func complete() {
        #expect(Rule.all.map(\.id) == RuleID.allCases)
    }

    @Test("say one sentence each, and no two the same") func sentences() {
        for rule in Rule.all {
            #expect(rule.text.hasSuffix("."), "\(rule.id)")
            #expect(rule.text.first?.isUppercase == true, "\(rule.id)")
            #expect(!rule.confidences.isEmpty, "\(rule.id)")
        }
        #expect(Set(Rule.all.map(\.text)).count == Rule.all.count)
    }

    @Test(
        "are those of the rule book, known as surely as there",
        .enabled(if: FileManager.default.fileExists(atPath: book.path), "the rule book lies beside the checkout"))
    func agreesWithBook() throws {
        let rows = try Self.rows()
        #expect(Set(rows.keys) == Set(RuleID.allCases.map(\.rawValue)))
        for rule in Rule.all {
            let row = try #require(rows[rule.id.rawValue])
            #expect(Self.tags(row) == Set(rule.confidences + rule.partly), "\(rule.id.rawValue): \(row)")
        }
    }

    /// The last cell of each row whose first cell is the id of a rule.
    static func rows() throws -> [String: String] {
        var rows: [String: String] = [:]
        for line in try String(contentsOf: book, encoding: .utf8).split(separator: "\n") where line.hasPrefix("| ") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let id = cells.first, id.wholeMatch(of: #/[A-Z]+-[0-9][0-9]/#) != nil else { continue }
            rows[id] = rows[id] ?? cells.last
        }
        return rows
    }

    /// The tags of a cell: all before the first remark, and in remarks only those of doubt.
    static func tags(_ cell: String) -> Set<Rule.Confidence> {
        let names: [(String, Rule.Confidence)] = [
            ("doc", .documented), ("staff", .staff), ("obs", .observed), ("infer", .inferred), ("DISPUTED", .disputed),
        ]
        // The section of disputes gives likelihoods in place of tags.
        if cell.contains("%") { return [.disputed] }
        let head = cell.prefix { !"(;,".contains($0) }
        let remark = cell.dropFirst(head.count)
        return Set(names.filter { head.contains($0.0) }.map(\.1))
            .union(names.suffix(2).filter { remark.contains($0.0) }.map(\.1))
    }
}
