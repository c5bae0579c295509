import FencepostModel
import FencepostService
import Testing

@Suite("Settings of traces") struct TracingSettingsTests {
    private static let endpoint = "http://localhost:4318/v1/traces"

    private func read(_ text: String) -> (Configuration, [Diagnostic]) {
        ConfigurationReader.read(Array(text.utf8), file: "f.json")
    }

    private func read(environment: [String: String], over file: String = "{}") -> ConfigurationReader {
        var reader = ConfigurationReader()
        reader.read(Array(file.utf8), file: "f.json")
        reader.read(environment: environment, file: { $0 == "/run/headers" ? "x-key=from a file\n" : nil })
        return reader
    }

    @Test("are off by default, and need only an address") func defaults() throws {
        #expect(read("{}").0.tracing == nil)
        let (configuration, problems) = read(#"{"tracing":{"endpoint":"\#(Self.endpoint)"}}"#)
        #expect(problems.isEmpty)
        let settings = try #require(configuration.tracing)
        #expect(settings == TracingSettings(endpoint: Self.endpoint))
        #expect(settings.sampleRatio == 1 && !settings.deviceIDs && settings.headers.isEmpty)
    }

    @Test("are read whole, in any order") func all() throws {
        let (configuration, problems) = read(
            #"{"tracing":{"deviceIDs":true,"sampleRatio":0.01,"caFile":"ca.pem","serviceName":"locations","#
                + #""headers":{"authorization":"Bearer a=b,c"},"resourceAttributes":{"host.name":"böx"},"#
                + #""endpoint":"https://tempo.example/otlp/v1/traces?tenant=1"}}"#)
        #expect(problems.isEmpty)
        let settings = try #require(configuration.tracing)
        #expect(settings.endpoint == "https://tempo.example/otlp/v1/traces?tenant=1")
        #expect(settings.deviceIDs && settings.sampleRatio == 0.01 && settings.serviceName == "locations")
        #expect(settings.headers.map(\.name) == ["authorization"] && settings.headers.map(\.value) == ["Bearer a=b,c"])
        #expect(settings.resourceAttributes.map(\.value) == ["böx"])
        #expect(settings.caFile?.hasSuffix("ca.pem") == true)
    }

    @Test("come from OpenTelemetry's variables") func openTelemetry() throws {
        let reader = read(environment: [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318/", "OTEL_SERVICE_NAME": "123",
            "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%20key, other = b=c",
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test,service.namespace=maps",
            "OTEL_TRACES_SAMPLER_ARG": "0.25", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        ])
        #expect(reader.diagnostics.isEmpty)
        let settings = try #require(reader.configuration.tracing)
        #expect(settings.endpoint == "http://collector:4318/v1/traces")
        #expect(settings.serviceName == "123" && settings.sampleRatio == 0.25)
        #expect(settings.headers.map { "\($0.name): \($0.value)" } == ["x-key: a key", "other: b=c"])
        #expect(settings.resourceAttributes.map(\.name) == ["deployment.environment.name", "service.namespace"])
        #expect(reader.origins["/tracing/endpoint"] == "OTEL_EXPORTER_OTLP_ENDPOINT")
        #expect(reader.shown().contains { $0.pointer == "/tracing/headers" && $0.value == "\"********\"" })
    }

    @Test("of a variable for traces come before those for all signals, and Fencepost's own before both")
    func precedence() {
        var environment = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://all:4318", "OTEL_SERVICE_NAME": ""]
        func endpoint() -> String? {
            read(environment: environment, over: #"{"tracing":{"endpoint":"http://file/v1/traces"}}"#).configuration
                .tracing?.endpoint
        }
        #expect(endpoint() == "http://all:4318/v1/traces")
        environment["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = "http://traces:4318/own"
        #expect(endpoint() == "http://traces:4318/own")
        environment["FENCEPOST_TRACING_ENDPOINT"] = "http://own/v1/traces"
        #expect(endpoint() == "http://own/v1/traces")
        #expect(read(environment: environment).configuration.tracing?.serviceName == nil)
    }

    @Test("of Fencepost's variables may have an endpoint and a name of OpenTelemetry's, and headers of a file")
    func mixture() throws {
        let reader = read(environment: [
            "FENCEPOST_TRACING_ENDPOINT": Self.endpoint, "OTEL_SERVICE_NAME": "locations",
            "FENCEPOST_TRACING_HEADERS_FILE": "/run/headers", "OTEL_EXPORTER_OTLP_HEADERS": "x-key=other",
        ])
        #expect(reader.diagnostics.isEmpty)
        let settings = try #require(reader.configuration.tracing)
        #expect(settings.serviceName == "locations" && settings.headers.map(\.value) == ["from a file"])
    }

    @Test("without an address are off, as other programs have the same variables") func noAddress() {
        let reader = read(environment: [
            "OTEL_SERVICE_NAME": "locations", "OTEL_TRACES_SAMPLER_ARG": "0.5", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
        ])
        #expect(reader.diagnostics.isEmpty && reader.configuration.tracing == nil)
    }

    @Test(
        "are refused with one sentence where they are wrong",
        arguments: [
            (#"{"sampleRatio":0.5}"#, "/tracing/endpoint"), (#"{"endpoint":"localhost:4318"}"#, "/tracing/endpoint"),
            (#"{"endpoint":"http://localhost:4318"}"#, "/tracing/endpoint"),
            (#"{"endpoint":"http://localhost:4318/"}"#, "/tracing/endpoint"),
            (#"{"endpoint":"http:///v1/traces"}"#, "/tracing/endpoint"),
            (#"{"endpoint":"http://a:b@host/v1/traces"}"#, "/tracing/endpoint"),
            (#"{"endpoint":"ftp://host/v1/traces"}"#, "/tracing/endpoint"),
            (#"{"endpoint":"\#(endpoint)","sampleRatio":2}"#, "/tracing/sampleRatio"),
            (#"{"endpoint":"\#(endpoint)","sampleRatio":"1%"}"#, "/tracing/sampleRatio"),
            (#"{"endpoint":"\#(endpoint)","deviceIDs":"yes"}"#, "/tracing/deviceIDs"),
            (#"{"endpoint":"\#(endpoint)","headers":{"a b":"c"}}"#, "/tracing/headers"),
            (#"{"endpoint":"\#(endpoint)","headers":{"a":"c\r\nd: e"}}"#, "/tracing/headers"),
            (#"{"endpoint":"\#(endpoint)","headers":["a"]}"#, "/tracing/headers"),
            (#"{"endpoint":"\#(endpoint)","headers":"a"}"#, "/tracing/headers"),
            (#"{"endpoint":"\#(endpoint)","resourceAttributes":{"a":1}}"#, "/tracing/resourceAttributes"),
            (#"{"endpoint":"\#(endpoint)","resourceAttributes":"a=%zz"}"#, "/tracing/resourceAttributes"),
            (#"{"endpoint":"\#(endpoint)","protocol":"grpc"}"#, "/tracing/protocol"),
        ])
    func invalid(text: String, pointer: String) throws {
        let problems = read(#"{"tracing":\#(text)}"#).1
        #expect(problems.count == 1)
        let problem = try #require(problems.first)
        #expect("\(problem.position)".contains(pointer) && problem.message.hasSuffix("."), "\(problem)")
    }

    @Test("of a variable are refused by its name") func invalidVariable() {
        for (name, value) in [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"), ("OTEL_EXPORTER_OTLP_HEADERS", "key"),
            ("OTEL_TRACES_SAMPLER_ARG", "all"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json"),
        ] {
            var environment = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"]
            environment[name] = value
            let problems = read(environment: environment).diagnostics
            #expect(problems.map(\.file) == [name], "\(problems)")
        }
    }
}
