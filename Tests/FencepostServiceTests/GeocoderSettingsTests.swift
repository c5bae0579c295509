import FencepostModel
import FencepostService
import Testing

@Suite("Settings of the geocoder") struct GeocoderSettingsTests {
    private func read(_ text: String) -> (Configuration, [String]) {
        let (configuration, diagnostics) = ConfigurationReader.read(Array(text.utf8), file: "f.json")
        return (configuration, diagnostics.map { "\($0.code) \($0.position)" })
    }

    @Test("is off by default, and needs only an address") func defaults() throws {
        #expect(read("{}").0.geocoder == nil)
        let settings = try #require(read(#"{"geocoder":{"url":"https://nominatim.example//"}}"#).0.geocoder)
        #expect(settings == GeocoderSettings(url: "https://nominatim.example"))
        #expect(settings.rate == 1 && settings.kind == .nominatim && !settings.allowHTTP)
    }

    @Test("is read whole, in any order") func all() throws {
        let (configuration, problems) = read(
            #"{"geocoder":{"rate":0.5,"kind":"photon","key":"k","contact":"me@example.org","language":"pt-PT,en","#
                + #""timeout":2.5,"maximumAge":60,"allowHTTP":true,"allowedNetworks":["127.0.0.1"],"attribution":"© X","#
                + #""url":"http://127.0.0.1:2322"}}"#)
        #expect(problems.isEmpty)
        let settings = try #require(configuration.geocoder)
        #expect(settings.kind == .photon && settings.rate == 0.5 && settings.timeout == .milliseconds(2500))
        #expect(settings.maximumAge == .seconds(60) && settings.allowHTTP && settings.attribution == "© X")
        #expect(settings.allowedNetworks.map(\.text) == ["127.0.0.1"])
        #expect(settings.key == "k" && settings.contact == "me@example.org" && settings.language == "pt-PT,en")
    }

    @Test("comes from environment variables, and its key from a file") func environment() {
        var reader = ConfigurationReader()
        reader.read(
            environment: [
                "FENCEPOST_GEOCODER_URL": "https://photon.example", "FENCEPOST_GEOCODER_KIND": "photon",
                "FENCEPOST_GEOCODER_KEY_FILE": "/run/key", "FENCEPOST_GEOCODER_RATE": "2",
            ], file: { $0 == "/run/key" ? "secret\n" : nil })
        #expect(reader.diagnostics.isEmpty)
        #expect(reader.configuration.geocoder?.key == "secret" && reader.configuration.geocoder?.rate == 2)
        #expect(reader.shown().contains { $0.pointer == "/geocoder/key" && $0.value == "\"********\"" })
    }

    @Test(
        "is refused with its location when it is wrong",
        arguments: [
            (#"{"geocoder":{"kind":"photon"}}"#, "/geocoder/url"),
            (#"{"geocoder":{"url":"nominatim"}}"#, "/geocoder/url"),
            (#"{"geocoder":{"url":"https://a.b?x=1"}}"#, "/geocoder/url"),
            (#"{"geocoder":{"url":"https://a.b","rate":0}}"#, "/geocoder/rate"),
            (#"{"geocoder":{"url":"https://a.b","kind":"google"}}"#, "/geocoder/kind"),
            (#"{"geocoder":{"url":"https://a.b","contact":"a\r\nb: c"}}"#, "/geocoder/contact"),
            (#"{"geocoder":{"url":"https://a.b","allowedNetworks":["home"]}}"#, "/geocoder/allowedNetworks/0"),
        ])
    func invalid(text: String, pointer: String) {
        let problems = read(text).1
        #expect(problems.count == 1 && problems[0].contains(pointer), "\(problems)")
    }
}
