import FencepostJSON
import FencepostModel
import FencepostService
import Foundation
import Testing

@Suite("The settings of a broker") struct BrokerFileTests {
    private static func read(
        _ text: String, replacing former: BrokerChoice? = nil
    ) throws -> (choice: BrokerChoice?, problems: [Diagnostic]) {
        BrokerFile.read(try JSONDocument(parsing: text).root, replacing: former)
    }

    private static func shown(_ choice: BrokerChoice) -> String {
        var writer = JSONWriter()
        writer.value(choice)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test(
        "are those of the configuration, are stored as they are, and are shown without passwords",
        arguments: [
            #"{"host":"h"}"#, #"{"host":"::1","port":8883,"tls":true,"username":"u","password":"SECRET"}"#,
            #"{"host":"h","topic":"phones/+/+","clientId":"c","publish":true}"#,
            #"{"host":"h","homeAssistant":true}"#, #"{"host":"h","publish":"home/regions","homeAssistant":"ha"}"#,
            #"{"host":"h","publish":{"events":["region.*"],"ownTracks":true,"names":{"jane/phone":"Jane"}}}"#,
            #"{"host":"h","publishTo":{"host":"o","password":"SECRET"},"homeAssistant":true}"#,
        ])
    func kinds(json: String) throws {
        let (found, problems) = try Self.read(json)
        let choice = try #require(found, "\(problems)")
        let (configuration, others) = ConfigurationReader.read(Array("{\"mqtt\":\(json)}".utf8), file: "f.json")
        #expect(others.isEmpty && configuration.brokers == choice)
        #expect(BrokerFile.read(stored: BrokerFile.text(of: choice)) == choice)
        #expect(!Self.shown(choice).contains("SECRET"))
        // What was read can be sent back.
        let again = try Self.read(Self.shown(choice), replacing: choice)
        #expect(again.choice == choice, "\(again.problems)")
    }

    @Test(
        "that are wrong are named by their place, in the words of the configuration",
        arguments: [
            (#"{"port":1883}"#, "/host", "where the broker is"), (#"{"host":""}"#, "/host", "homeassistant.local"),
            (#"{"host":"mqtt://h"}"#, "/host", "without mqtt://"), (#"{"host":"h:1883"}"#, "/host", "without a port"),
            (#"{"host":"a b"}"#, "/host", "a name or an address"), (#"{"host":"h","port":0}"#, "/port", "1"),
            (#"{"host":"h","tls":"yes"}"#, "/tls", "true or false"),
            (#"{"host":"h","topic":"owntracks/#/x"}"#, "/topic", "# the last one"),
            (#"{"host":"h","topic":"a+/b"}"#, "/topic", "a whole level"),
            (#"{"host":"h","username":"a\u0000b"}"#, "/username", "control characters"),
            (#"{"host":"h","homeAssistant":"a/#"}"#, "/homeAssistant", "without + and #"),
            (#"{"host":"h","publish":{"prefix":"/x"}}"#, "/publish", "a prefix of topics"),
            (#"{"host":"h","passwort":"x"}"#, "/passwort", "did you mean \"password\"?"),
            (#"{"host":"h","caFile":"/etc/passwd"}"#, "/caFile", "send what is in it as \"caCertificate\""),
            (#"{"host":"h","publishTo":{"port":1}}"#, "/publishTo/host", "where the broker is"),
            (#"{"host":"h","publishTo":{"host":"o","topic":"x"}}"#, "/publishTo/topic", "no key \"topic\""),
            (#"[]"#, "", "an object"),
        ])
    func refused(json: String, pointer: String, part: String) throws {
        let (choice, problems) = try Self.read(json)
        #expect(choice == nil)
        let problem = try #require(problems.first)
        #expect(problem.position == .pointer(pointer) && problem.message.contains(part), "\(problem)")
    }

    @Test("keep a password that is not named, and never send it to another broker") func passwords() throws {
        let former = try #require(
            try Self.read(#"{"host":"h","password":"one","publishTo":{"host":"o","password":"two"}}"#).choice)
        let kept = try #require(
            try Self.read(
                #"{"host":"h","topic":"x/#","passwordIsSet":true,"publishTo":{"host":"o"}}"#, replacing: former
            ).choice)
        #expect(kept.broker.password == "one" && kept.publishBroker?.password == "two" && kept.broker.topic == "x/#")
        let removed = try #require(try Self.read(#"{"host":"h","password":null}"#, replacing: former).choice)
        #expect(removed.broker.password == nil && removed.publishBroker == nil)
        let changed = try #require(try Self.read(#"{"host":"x","password":"three"}"#, replacing: former).choice)
        #expect(changed.broker.password == "three")
        for (json, pointer) in [
            (#"{"host":"x"}"#, "/password"), (#"{"host":"h","port":1884}"#, "/password"),
            (#"{"host":"h","publishTo":{"host":"x"}}"#, "/publishTo/password"),
        ] {
            let (choice, problems) = try Self.read(json, replacing: former)
            #expect(choice == nil && problems.map(\.position) == [.pointer(pointer)])
            #expect(problems.first?.code == "password_needed")
        }
    }

    /// The certificate of an authority that signs nothing.
    private static let authority = """
        -----BEGIN CERTIFICATE-----
        MIIBmTCCAT+gAwIBAgIUAgjnA8zdaepgVApkhBhA4l7v4UIwCgYIKoZIzj0EAwIw
        ITEfMB0GA1UEAwwWYXV0aG9yaXR5IG9mIHRoZSB0ZXN0czAgFw0yNjExMjgxOTI3
        NTFaGA8yMTI2MTEwNDE5Mjc1MVowITEfMB0GA1UEAwwWYXV0aG9yaXR5IG9mIHRo
        ZSB0ZXN0czBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKOUkvusVv6CKakEmOny
        hcWdCHEkAbFa5TdERPwfekWqyuJxBCA2snss4sY/+HsRIw3UDDpBoKo+WynXEtEa
        66KjUzBRMB0GA1UdDgQWBBTr3ACJxktdiCSnaUGkdUHe0SrcDjAfBgNVHSMEGDAW
        gBTr3ACJxktdiCSnaUGkdUHe0SrcDjAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49
        BAMCA0gAMEUCID5u45XUP3ASPKzFCrfrl/UdYiZqVi/qg45D4muyC2UcAiEAjq2v
        Tq7SD5GTHDarB+WGJW9O+/H/dmyUk1zfIM2wBMo=
        -----END CERTIFICATE-----

        """

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.value(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("have the certificate of an authority, as people paste it") func certificate() throws {
        let pasted = "Certificate:\r\n  Version: 3\r\n" + Self.authority.replacing("\n", with: "\r\n  ") + "\n\n"
        for text in [Self.authority, pasted, pasted + pasted] {
            let json = "{\"host\":\"h\",\"tls\":true,\"caCertificate\":\(Self.quoted(text))}"
            let (found, problems) = try Self.read(json)
            let choice = try #require(found, "\(problems)")
            let isTwice = text == pasted + pasted
            #expect(choice.broker.caCertificate == Self.authority + (isTwice ? Self.authority : ""))
            #expect(BrokerFile.read(stored: BrokerFile.text(of: choice)) == choice)
            #expect(try Self.read(Self.shown(choice)).choice == choice)
        }
        let (other, problems) = try Self.read(
            "{\"host\":\"h\",\"publishTo\":{\"host\":\"o\",\"tls\":true,\"caCertificate\":\(Self.quoted(Self.authority))}}"
        )
        #expect(other?.publishBroker?.caCertificate == Self.authority, "\(problems)")
        #expect(other?.broker.caCertificate == nil)
        #expect(try Self.read(#"{"host":"h","caCertificate":null}"#).choice?.broker.caCertificate == nil)
    }

    @Test("name what is wrong with a certificate")
    func wrongCertificates() throws {
        let lines = Self.authority.split(separator: "\n")
        let cut = lines.prefix(5).joined(separator: "\n")
        let short = (lines.prefix(3) + [lines[lines.count - 1]]).joined(separator: "\n")
        let key = "-----BEGIN EC PRIVATE KEY-----\nMHc=\n-----END EC PRIVATE KEY-----\n"
        for (text, part) in [
            ("ca.crt", "no certificate in PEM"), ("/etc/ssl/ca.pem", "no certificate in PEM"), (cut, "cut off"),
            (short, "cut off"), (Self.authority + cut, "The certificate 2"), (Self.authority + key, "a private key"),
            (key, "a private key"), (Self.authority.replacing("M", with: "!"), "damaged"),
            (String(repeating: Self.authority, count: 60), "24576 bytes"),
        ] {
            for (json, pointer) in [
                ("{\"host\":\"h\",\"tls\":true,\"caCertificate\":\(Self.quoted(text))}", "/caCertificate"),
                (
                    "{\"host\":\"h\",\"publishTo\":{\"host\":\"o\",\"tls\":true,\"caCertificate\":\(Self.quoted(text))}}",
                    "/publishTo/caCertificate"
                ),
            ] {
                let (choice, problems) = try Self.read(json)
                #expect(choice == nil && problems.map(\.position) == [.pointer(pointer)], "\(text)")
                #expect(problems.first?.code == "invalid_certificate")
                #expect(problems.first?.message.contains(part) == true, "\(problems)")
            }
        }
        let plain = try Self.read("{\"host\":\"h\",\"caCertificate\":\(Self.quoted(Self.authority))}")
        #expect(plain.choice == nil && plain.problems.first?.message.contains("\"tls\":true") == true)
        let number = try Self.read(#"{"host":"h","tls":true,"caCertificate":7}"#).problems
        #expect(number.first?.message.contains("a text") == true)
    }

    @Test("that are damaged in the store are none", arguments: ["", "{", "[]", #"{"port":1}"#])
    func damaged(text: String) { #expect(BrokerFile.read(stored: text) == nil) }

    @Test("have a limit") func limit() throws {
        let names = (0..<3000).map { "\"device-\($0)\":\"The name of device \($0)\"" }.joined(separator: ",")
        let (choice, problems) = try Self.read("{\"host\":\"h\",\"publish\":{\"names\":{\(names)}}}")
        #expect(choice == nil && problems.first?.message.contains("65536 bytes") == true)
    }
}
