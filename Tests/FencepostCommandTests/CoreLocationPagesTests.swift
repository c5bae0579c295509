import FencepostJSON
import Foundation
import Testing

@Suite("The pages on Core Location") struct CoreLocationPagesTests {
    private let docs = Program.root.appending(path: "docs")

    @Test("list every rule that the program knows, and no other") func rules() throws {
        let page = try String(contentsOf: docs.appending(path: "core-location/rules.md"), encoding: .utf8)
        let listed = page.matches(of: #/<a id="[a-z]+-[0-9]+"></a>([A-Z]+-[0-9]+) /#).map { String($0.1) }
        let known = try JSONDocument(parsing: try Program.run("rules", "--json").output).root
        let ids = known.array.map { Array($0) }?.compactMap { $0["id"]?.string } ?? []
        #expect(listed == ids, "make rules-doc writes the page anew")
        #expect(!ids.isEmpty)
    }

    @Test("come with scenarios that hold", arguments: ["force-quit", "second-prompt"])
    func scenarios(name: String) throws {
        let file = docs.appending(path: "examples/GeofenceApp/Scenarios/\(name).json").path
        #expect(try Program.run("simulate", file).status == 0)
        // They hold for what they say, not because nothing is asked of them.
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains(#""expect""#) && text.contains(#""track": "walk.gpx""#))
    }
}
