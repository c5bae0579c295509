import FencepostJSON
import Foundation
import Testing

@Suite("The pages on Core Location") struct CoreLocationPagesTests {
    private let docs = Program.root.appending(path: "docs")

    @Test("list all rules of the program and no others") func rules() throws {
        let page = try String(contentsOf: docs.appending(path: "core-location/rules.md"), encoding: .utf8)
        let listed = page.matches(of: #/<a id="[a-z]+-[0-9]+"></a>([A-Z]+-[0-9]+) /#).map { String($0.1) }
        let known = try JSONDocument(parsing: try Program.run("rules", "--json").output).root
        let ids = known.array.map { Array($0) }?.compactMap { $0["id"]?.string } ?? []
        #expect(listed == ids, "make rules-doc regenerates the page")
        #expect(!ids.isEmpty)
    }

    @Test("contain scenarios whose expectations hold", arguments: ["force-quit", "second-prompt"])
    func scenarios(name: String) throws {
        let file = docs.appending(path: "examples/GeofenceApp/Scenarios/\(name).json").path
        #expect(try Program.run("simulate", file).status == 0)
        // The scenarios contain expectations.
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains(#""expect""#) && text.contains(#""track": "walk.gpx""#))
    }
}
