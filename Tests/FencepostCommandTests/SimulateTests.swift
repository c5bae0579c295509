import FencepostJSON
import FencepostTesting
import Foundation
import Testing

@Suite("fencepost simulate") struct SimulateTests {
    private func json(_ text: String) throws -> JSONElement { try JSONDocument(parsing: text).root }

    @Test("simulate prints one outcome for one scenario and an array for several") func shapes() throws {
        let folder = try TemporaryFolder()
        let one = try folder.file("one.json", #"{"name":"a","given":{"grant":"always"}}"#)
        let two = try folder.file("two.json", #"[{"name":"b"},{"name":"c"}]"#)
        let alone = try Program.run("simulate", "--json", one)
        #expect(alone.status == 0)
        #expect(try json(alone.output)["final"]?["grant"]?.string == "always")
        let all = try json(try Program.run("simulate", "--json", one, two).output)
        #expect(all.array?.compactMap { $0["name"]?.string } == ["a", "b", "c"])
    }

    @Test("simulate exits with 1 when an expectation fails, and prints it") func fails() throws {
        let text = #"{"name":"x","given":{"grant":"denied"},"expect":{"final":{"grant":"always"}}}"#
        let result = try Program.run("simulate", "--json", input: text)
        #expect(result.status == 1)
        let outcome = try json(result.output)
        #expect(outcome["passed"]?.bool == false)
        #expect(outcome["failures"]?[0]?["path"]?.string == "final.grant")
        #expect(outcome["failures"]?[0]?["expected"]?.string == "always")
    }

    @Test("simulate rejects an invalid file") func refuses() throws {
        let result = try Program.run("simulate", "--json", input: #"{"given":{"grnt":"always"}}"#)
        #expect(result.status == 65)
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("did you mean \"grant\"?"))
    }

    @Test("simulate writes an HTML page with escaped names and working links") func report() throws {
        let folder = try TemporaryFolder()
        let page = folder.url.appending(path: "page.html").path
        let text = """
            {"name":"<b>&","given":{"grant":"always","services":["visits"]},
             "steps":[{"do":"event","service":"visits","kind":"arrival"}],"expect":{"callbacks":["denied"]}}
            """
        #expect(try Program.run("simulate", "--report", page, input: text).status == 1)
        let html = try String(contentsOfFile: page, encoding: .utf8)
        #expect(html.contains("&lt;b&gt;&amp;</h2>") && html.contains("✗ failed") && !html.contains("<b>"))
        let links = html.matches(of: #/href="#([^"]+)"/#).map { String($0.1) }
        #expect(!links.isEmpty && links.allSatisfy { html.contains("id=\"\($0)\"") })
        #expect(!html.contains("://"))
    }

    @Test("simulate evaluates a track and delivers its events to the app") func track() throws {
        let folder = try TemporaryFolder()
        let path = Program.root.appending(path: "Regions").path
        let text = """
            {"name":"day","given":{"grant":"always","lifecycle":"terminated","services":[{"service":"regionCircular"},
             {"service":"visits"}]},"track":"\(path)/tracks/day.ndjson","regions":"\(path)/city.geojson"}
            """
        let outcome = try json(try Program.run("simulate", "--json", try folder.file("day.json", text)).output)
        let deliveries = outcome["deliveries"]?.array.map { Array($0) } ?? []
        #expect(deliveries.first?["relaunch"]?.bool == true)
        #expect(Set(deliveries.compactMap { $0["service"]?.string }) == ["regionCircular", "visits"])
        #expect(deliveries.allSatisfy { $0["delivery"]?.string == "delivered" && $0["id"]?.string != nil })
        let times = deliveries.compactMap { $0["at"]?.string }
        #expect(times.count == deliveries.count && times == times.sorted())
    }

    @Test("simulate applies the strict policy") func policy() throws {
        let text = """
            {"given":{"grant":"always","lifecycle":"terminated","backgroundAppRefresh":"off","services":["visits"]},
             "steps":[{"do":"event","service":"visits","kind":"arrival"}]}
            """
        let lenient = try json(try Program.run("simulate", "--json", input: text).output)["deliveries"]?[0]
        let strict = try json(try Program.run("simulate", "--json", "--policy", "strict", input: text).output)[
            "deliveries"]?[0]
        #expect(lenient?["relaunch"]?.bool == true && lenient?["confidence"]?.string == "disputed")
        #expect(strict?["relaunch"]?.bool == false && strict?["decidingRule"]?.string == "RELAUNCH-10")
    }
}
