import FencepostModel
import FencepostMonitor
import FencepostService
import Foundation
import Testing

@Suite("The time zone of the configuration") struct ServiceZoneTests {
    private static func read(_ text: String) -> (configuration: Configuration, problems: [Diagnostic]) {
        ConfigurationReader.read(Array(text.utf8), file: "f.json")
    }

    private static func zone(of rule: AlertRule?) -> String? {
        guard case .absent(_, let time)? = rule?.condition else { return nil }
        return time.timeZone.identifier
    }

    private static let rule = #"{"type":"absent","region":"school","by":"08:15"}"#

    @Test("is one that there is", arguments: [#""Mars/Olympus""#, "7", #""""#])
    func unknown(value: String) {
        let (configuration, problems) = Self.read("{\"timeZone\":\(value)}")
        #expect(configuration.timeZone == nil)
        #expect(problems.count == 1 && problems[0].code == "invalid_value")
        #expect("\(problems[0])".contains("/timeZone") && problems[0].message.contains("\"Europe/Berlin\""))
    }

    @Test("applies without a restart, and null is none")
    func reload() {
        let (old, new) = (Self.read("{}").configuration, Self.read(#"{"timeZone":"Asia/Kolkata"}"#).configuration)
        #expect(new.timeZone?.identifier == "Asia/Kolkata")
        #expect(ConfigurationReader.needingRestart(from: old, to: new) == [])
        #expect(Self.read(#"{"timeZone":null}"#).configuration.timeZone == nil)
    }

    @Test("is that of rules which name none, wherever it stands in the file")
    func rules() {
        let (configuration, problems) = Self.read(
            "{\"monitor\":{\"alerts\":[\(Self.rule),"
                + #"{"id":"own","type":"absent","region":"school","by":"08:15","timeZone":"Europe/Lisbon"}"#
                + "]},\"timeZone\":\"Asia/Kolkata\"}")
        #expect(problems.isEmpty, "\(problems)")
        #expect(configuration.monitor.alerts.map { Self.zone(of: $0) } == ["Asia/Kolkata", "Europe/Lisbon"])
        let without = Self.read("{\"monitor\":{\"alerts\":[\(Self.rule)]}}")
        #expect(without.configuration.monitor.alerts.isEmpty)
        #expect(without.problems.count == 1 && "\(without.problems[0])".contains("\"timeZone\""))
    }

    @Test("of the environment is also that of the file's rules and quiet hours")
    func environment() {
        let environment = ["FENCEPOST_TIME_ZONE": "America/St_Johns", "HOME": "/"]
        var reader = ConfigurationReader(below: environment) { _ in nil }
        let text =
            "{\"timeZone\":\"Asia/Kolkata\",\"monitor\":{\"alerts\":[\(Self.rule)]},"
            + #""endpoints":[{"id":"a","kind":"ntfy","url":"https://a.example/t","quietHours":"22:00-07:00"}]}"#
        reader.read(Array(text.utf8), file: "f.json")
        reader.read(environment: environment) { _ in nil }
        #expect(reader.diagnostics.isEmpty, "\(reader.diagnostics)")
        #expect(reader.configuration.timeZone?.identifier == "America/St_Johns")
        #expect(Self.zone(of: reader.configuration.monitor.alerts.first) == "America/St_Johns")
        #expect(reader.configuration.endpoints.first?.endpoint.quietHours?.timeZone == "America/St_Johns")
    }

    @Test("changes quiet hours that name none, and only these")
    func quietHours() {
        func drafts(_ zone: String?) -> [EndpointFile.Draft] {
            let member = zone.map { "\"timeZone\":\"\($0)\"," } ?? ""
            return Self.read(
                "{\(member)"
                    + #"""
                    "endpoints":[
                    {"id":"a","kind":"ntfy","url":"https://a.example/t","quietHours":"22:00-07:00"},
                    {"id":"b","kind":"ntfy","url":"https://b.example/t","timeZone":"Europe/Lisbon",
                     "quietHours":"22:00-07:00"},
                    {"id":"c","kind":"ntfy","url":"https://c.example/t"},
                    {"id":"d","kind":"ntfy","url":"https://d.example/t",
                     "quietHours":{"timeZone":"Europe/Lisbon","weekly":["22:00-07:00"]}}]}
                    """#
            ).configuration.endpoints
        }
        let (none, kolkata, johns) = (drafts(nil), drafts("Asia/Kolkata"), drafts("America/St_Johns"))
        func zones(_ drafts: [EndpointFile.Draft]) -> [String?] { drafts.map(\.endpoint.quietHours?.timeZone) }
        #expect(zones(none) == [TimeZone.current.identifier, "Europe/Lisbon", nil, "Europe/Lisbon"])
        #expect(zones(kolkata) == ["Asia/Kolkata", "Europe/Lisbon", nil, "Europe/Lisbon"])
        // A changed hash applies the endpoint of the file again.
        #expect(zip(kolkata, johns).map { $0.hash == $1.hash } == [false, true, true, true])
        #expect(zip(none, kolkata).map { $0.hash == $1.hash } == [false, true, true, true])
    }
}
