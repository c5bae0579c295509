import FencepostSimulator
import Foundation
import Testing

@Suite("Sources of rules") struct RuleSourceTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let pages = root.appending(path: "docs/core-location")

    @Test("resolve for every key of every rule") func resolve() {
        for rule in Rule.all {
            #expect(rule.references.map(\.key) == rule.sources, "\(rule.id.rawValue)")
        }
    }

    @Test("have unique keys, and each is cited by a rule") func cited() {
        let keys = RuleSource.all.map(\.key)
        #expect(Set(keys).count == keys.count)
        let cited = Set(Rule.all.flatMap(\.sources))
        #expect(keys.filter { !cited.contains($0) } == [])
    }

    @Test("have a title, a publisher and a secure address") func complete() {
        for source in RuleSource.all {
            #expect(!source.title.isEmpty && !source.publisher.isEmpty, "\(source.key)")
            #expect(source.address?.hasPrefix("https://") ?? true, "\(source.key)")
            #expect(source.kind != .rule, "\(source.key)")
        }
        // A header and a talk are only useful with the release that was read.
        for source in RuleSource.all where source.kind == .header || source.kind == .talk {
            #expect(source.version != nil, "\(source.key)")
        }
    }

    @Test("of evidence are cited by its rule and dated") func evidence() {
        for row in RuleEvidence.all {
            #expect(Rule[row.rule].sources.contains(row.source), "\(row.summary)")
            #expect(row.date.contains(#/^20[0-9]{2}(-[0-9]{2}){0,2}$/#), "\(row.summary)")
        }
        #expect(RuleEvidence.all.map(\.date) == RuleEvidence.all.map(\.date).sorted(by: >))
    }

    @Test("that contradict each other leave no certain answer") func contradictions() {
        let contested = Rule.all.filter { rule in rule.evidence.contains { !$0.supports } }
        #expect(contested.map(\.id).contains(.svc25) && contested.map(\.id).contains(.relaunch29))
        for rule in contested { #expect(rule.isContested && rule.likelihood != nil, "\(rule.id.rawValue)") }
        for version in [OSVersion(15), OSVersion(18), OSVersion(26), OSVersion(27)] {
            for cell in RelaunchMatrix(OperatingSystem(.iOS, version), sessions: [.serviceSession(.always)]).cells
            where cell.delivery.certainty.words.hasPrefix("certain") {
                let isRefused = [.dropped, .notMonitored].contains(cell.delivery.outcome)
                let applied = [cell.delivery.decidingRule] + (isRefused ? [] : cell.delivery.rules)
                #expect(applied.allSatisfy { !Rule[$0].isContested }, "\(cell)")
            }
        }
    }

    @Test("include another rule, by its id") func rules() throws {
        let source = try #require(RuleSource["ONCE-01"])
        #expect(source.kind == .rule && source.title == Rule[.once01].text && source.address == nil)
        #expect(RuleSource["W99"] == nil)
    }

    @Test("stand in the reference pages, which follow the tables", arguments: ["rules.md", "sources.md"])
    func pages(name: String) throws {
        let generated = name == "rules.md" ? RulePages.rules : RulePages.sources
        let file = Self.pages.appending(path: name)
        if ProcessInfo.processInfo.environment["FENCEPOST_REWRITE"] != nil {
            try generated.write(to: file, atomically: true, encoding: .utf8)
        }
        let page = try String(contentsOf: file, encoding: .utf8)
        #expect(page == generated, "make rules-doc writes docs/core-location/\(name)")
    }

    @Test("have an anchor in their page, as has every rule") func anchors() {
        for source in RuleSource.all {
            #expect(RulePages.sources.contains("<a id=\"\(source.key.lowercased())\"></a>"), "\(source.key)")
        }
        for rule in Rule.all {
            #expect(RulePages.rules.contains("<a id=\"\(rule.id.rawValue.lowercased())\"></a>"), "\(rule.id)")
        }
    }

    @Test("and rules that pages, code and tests name exist", arguments: ["docs", "Sources", "Tests"])
    func namedIDs(folder: String) throws {
        let families = Set(RuleID.allCases.map { $0.rawValue.prefix { $0 != "-" } })
        // An id that a test gives because it does not exist.
        let unknown: Set = ["RELAUNCH-99"]
        let files = FileManager.default.enumerator(
            at: Self.root.appending(path: folder), includingPropertiesForKeys: nil)
        var named = 0
        for case let file as URL in try #require(files) where ["md", "swift", "js"].contains(file.pathExtension) {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: #/\b([A-Z]+)-[0-9]{2}\b/#)
            where families.contains(match.1) && !unknown.contains(String(match.0)) {
                named += 1
                #expect(RuleID(rawValue: String(match.0)) != nil, "\(match.0) in \(file.lastPathComponent)")
            }
        }
        #expect(named > 0)
    }
}
