import FencepostFormats
import FencepostGeometry
import FencepostModel
import FencepostService
import Testing

@Suite("The files of the config") struct SourceSyncTests {
    private func region(_ id: String, radius: Double = 100) -> Region {
        Region(
            id: RegionID(id),
            shape: .circle(Circle(center: Coordinate(latitude: 1, longitude: 2), radius: radius)))
    }

    private func after(_ sources: [String: String?], _ known: [String: String]) -> [String: String] {
        var known = known
        for (key, value) in sources { known[key] = value }
        return known
    }

    @Test("count when what they say changes, and not again")
    func regions() {
        let first = SourceSync(regions: [region("a"), region("b")], known: [:])
        #expect(first.edit.changed.map(\.id.rawValue) == ["a", "b"])
        var known = after(first.sources, [:])
        #expect(SourceSync(regions: [region("a"), region("b")], known: known).isEmpty)
        let second = SourceSync(regions: [region("b", radius: 50)], known: known)
        #expect(second.edit.changed.map(\.id.rawValue) == ["b"])
        #expect(second.edit.removed.map(\.rawValue) == ["a"])
        known = after(second.sources, known)
        #expect(known.count == 1)
        #expect(SourceSync(regions: [region("b", radius: 50)], known: known).isEmpty)
    }

    @Test("keep an endpoint's secret where they name none, and leave alone what came over HTTP")
    func endpoints() throws {
        func drafts(_ text: String) -> [EndpointFile.Draft] {
            let (configuration, problems) = ConfigurationReader.read(Array(text.utf8), file: "c.json")
            #expect(problems.isEmpty)
            return configuration.endpoints
        }
        let now = Timestamp(seconds: 1_772_353_800)
        let one = drafts(#"{"endpoints":[{"url":"https://a.example/x","events":["region.*"]}]}"#)
        let first = EndpointEdit(drafts: one, stored: [], now: now, makeSecret: { "whsec_made" })
        let made = try #require(first.changed.first)
        #expect(made.id.hasPrefix("end_"))
        #expect(made.secrets.map(\.value) == ["whsec_made"])
        var manual = Endpoint(id: "manual", url: "https://b.example", secrets: [], createdAt: now)
        manual.sourceHash = nil
        let again = EndpointEdit(drafts: one, stored: [made, manual], now: now, makeSecret: { "whsec_other" })
        #expect(again.changed.isEmpty && again.removed.isEmpty)
        let other = drafts(#"{"endpoints":[{"url":"https://a.example/x","events":["visit.*"]}]}"#)
        let changed = EndpointEdit(drafts: other, stored: [made, manual], now: now, makeSecret: { "whsec_other" })
        #expect(changed.changed.map(\.secrets) == [made.secrets])
        let none = EndpointEdit(drafts: [], stored: [made, manual], now: now, makeSecret: { "" })
        #expect(none.removed == [made.id])
    }

    @Test("of history are put into the order of time, and what is no fix is counted")
    func history() throws {
        let csv =
            "time,lat,lon\n2026-03-01T08:00:10Z,1,1\n2026-03-01T08:00:00Z,2,2\nnever,3,3\n2026-03-01T08:00:10Z,4,4\n"
        let file = try HistoryFile(
            ByteSource(bytes: Array(csv.utf8)), name: "a.csv", format: nil, device: DeviceID("d"),
            now: Timestamp(seconds: 1_772_400_000))
        #expect(file.failure == nil)
        #expect(file.submission.locations.map(\.coordinate.latitude) == [2, 1, 4])
        #expect(file.rejected.map(\.position) == [.line(4)])
        #expect(file.format == .csv)
    }
}

@Suite("Layers of configuration") struct ConfigurationLayerTests {
    @Test("go over one another, and each key knows where it is from")
    func layers() {
        var reader = ConfigurationReader()
        reader.read(
            Array(#"{"server":{"port":1,"host":"0.0.0.0"},"storage":{"path":"a.sqlite"}}"#.utf8), file: "etc/c.json")
        reader.read(
            environment: [
                "FENCEPOST_SERVER_PORT": "2", "FENCEPOST_WEBHOOKS_ALLOW_HTTP": "true", "HOME": "/",
                "FENCEPOST_MQTT_HOST": "broker", "FENCEPOST_MQTT_PASSWORD_FILE": "/run/secret",
                "FENCEPOST_MQTT_CLIENT_ID": "7", "FENCEPOST_MQTT_PUBLISH_TO_HOST": "other",
                "FENCEPOST_MQTT_PUBLISH_TO_PASSWORD_FILE": "/run/secret",
                "FENCEPOST_CLUSTER_URL": #"["tls://jane:p@ss@n:4222","nats://m:4222"]"#,
            ], file: { $0 == "/run/secret" ? "hush\n" : nil })
        reader.set("/server/port", "3", origin: "--port")
        #expect(reader.diagnostics.isEmpty, "\(reader.diagnostics)")
        let configuration = reader.configuration
        #expect(configuration.server.port == 3)
        #expect(configuration.server.host == "0.0.0.0")
        #expect(configuration.storage.path == "etc/a.sqlite")
        #expect(configuration.webhooks.allowHTTP)
        #expect(configuration.mqtt?.password == "hush")
        #expect(configuration.mqtt?.clientID == "7")
        let shown = Dictionary(uniqueKeysWithValues: reader.shown().map { ($0.pointer, $0) })
        #expect(shown["/server/port"]?.origin == "--port")
        #expect(shown["/server/host"]?.origin == "etc/c.json")
        #expect(shown["/webhooks/allowHTTP"]?.origin == "FENCEPOST_WEBHOOKS_ALLOW_HTTP")
        #expect(shown["/monitor/crossing"]?.origin == "default")
        #expect(shown["/mqtt/password"]?.value == "\"********\"")
        #expect(shown["/mqtt/publishTo/password"]?.value == "\"********\"")
        #expect(configuration.publication?.broker.host == "other")
        #expect(configuration.publication?.broker.password == "hush")
        #expect(configuration.allEndpoints.last?.endpoint.url == "mqtt://other:1883/fencepost")
        #expect(configuration.cluster?.servers.first == "tls://jane:p@ss@n:4222")
        #expect(shown["/cluster/url"]?.value == #"["tls://jane:********@n:4222","nats://m:4222"]"#)
    }

    @Test("name the variable that is wrong and what it has to be")
    func wrong() {
        var reader = ConfigurationReader()
        reader.read(
            environment: ["FENCEPOST_SERVER_PROT": "2", "FENCEPOST_SERVER_PORT": "many"], file: { _ in nil })
        #expect(reader.diagnostics.count == 2)
        #expect(reader.diagnostics.first?.message.contains("FENCEPOST_SERVER_PORT") == true)
        #expect(reader.diagnostics.last?.file == "FENCEPOST_SERVER_PORT")
        #expect(reader.configuration.server.port == 8080)
    }

    @Test("say which changes need a restart")
    func restart() {
        var (old, new) = (Configuration(), Configuration())
        old.server.port = 1
        new.regions = ["x"]
        new.log.level = .debug
        #expect(ConfigurationReader.needingRestart(from: old, to: new) == ["/server/port"])
    }
}
