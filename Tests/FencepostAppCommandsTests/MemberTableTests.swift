import Foundation
import Testing

@testable import FencepostAppCommands

/// The table of Core Location's members in the documentation, against the sources of the module.
@Suite("The table of members") struct MemberTableTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    /// The heading of what belongs to no type.
    private static let global = "Constants, functions and type aliases"

    private struct Row {
        var type: String
        var names: [String]
        var state, reason: String
    }

    private static func rows() throws -> [Row] {
        let text = try String(contentsOf: root.appending(path: "docs/core-location/members.md"), encoding: .utf8)
        var type = ""
        var rows: [Row] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("## ") { type = String(line.dropFirst(3)) }
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("| `"), cells.count == 3 else { continue }
            let names = cells[0].matches(of: #/`([^`]+)`/#).map { String($0.1) }
            rows.append(Row(type: type, names: names, state: cells[1], reason: cells[2]))
        }
        return rows
    }

    /// The words before a declaration that belong to it.
    private static func modifiers(_ source: SwiftSource, before index: Int) -> Set<String> {
        var found: Set<String> = []
        var previous = index - 1
        while previous >= 0 {
            if source.tokens[previous].text == ")", let open = source.partner(of: previous) {
                previous = open - 1
            } else if source.tokens[previous].kind == .word {
                found.insert(source.tokens[previous].text)
                previous -= 1
            } else {
                break
            }
        }
        return found
    }

    private static func isPublic(_ words: Set<String>) -> Bool { words.contains("public") || words.contains("open") }

    /// The public members of the module by their types, as `Type` and `name(label:)`.
    private static func members() throws -> [String: Set<String>] {
        let folder = root.appending(path: "Sources/FencepostCoreLocation/Types")
        var members: [String: Set<String>] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        where file.hasSuffix(".swift") {
            let source = SwiftSource(
                path: file, text: try String(contentsOf: folder.appending(path: file), encoding: .utf8))
            func type(at index: Int) -> String {
                let path = source.scopes(at: index).reversed().compactMap { scope -> String? in
                    if case .type(let name, _) = scope { return name }
                    return nil
                }
                return path.isEmpty ? global : path.joined(separator: ".")
            }
            let protocols = Set(source.types.filter { $0.isProtocol && !$0.isExtension }.map(\.name))
            for declaration in source.declarations {
                let index = declaration.range.lowerBound
                let isRequirement = declaration.type.map(protocols.contains) ?? false
                guard isRequirement || isPublic(modifiers(source, before: index)),
                    declaration.name.first?.isLetter ?? false
                else { continue }
                let isCall = declaration.kind == .function || declaration.kind == .initializer
                let labels = declaration.labels.map { "\($0):" }.joined()
                members[type(at: index), default: []].insert(
                    isCall ? "\(declaration.name)(\(labels))" : declaration.name)
            }
            for index in source.positions(of: "case") {
                guard case .type? = source.scopes(at: index).first, let head = source.heads(at: index).first?.head,
                    source.tokens[head].contains(where: { $0.text == "public" })
                else { continue }
                var next = index
                while next == index || source.matches([","], at: next) {
                    members[type(at: index), default: []].insert(source.tokens[next + 1].text)
                    next += source.matches(["="], at: next + 2) ? 4 : 2
                }
            }
        }
        return members
    }

    @Test("has each public member once, with a state and a reason") func members() throws {
        let rows = try Self.rows()
        let members = try Self.members()
        #expect(members.count > 25 && members.values.map(\.count).reduce(0, +) > 300)
        for row in rows {
            #expect(["works", "inert", "absent"].contains(row.state), "\(row.type) \(row.names)")
            #expect(row.reason.count > 3, "\(row.type) \(row.names)")
        }
        for (type, names) in members.sorted(by: { $0.key < $1.key }) {
            let own = rows.filter { $0.type == type }
            let listed = own.filter { $0.state != "absent" }.flatMap(\.names)
            #expect(Set(listed).count == listed.count, "\(type) lists a member twice")
            let missing = names.subtracting(listed).sorted().map { "`\($0)`" }.joined(separator: ", ")
            #expect(missing.isEmpty, "\(type) lacks \(missing)")
            #expect(Set(listed).subtracting(names).sorted() == [], "\(type)")
            #expect(names.isDisjoint(with: own.filter { $0.state == "absent" }.flatMap(\.names)), "\(type)")
        }
        // A type with absent members only may be absent itself.
        let others = rows.filter { members[$0.type] == nil }
        #expect(others.allSatisfy { $0.state == "absent" }, "\(others.map(\.type))")
    }
}
