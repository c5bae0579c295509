public import FencepostJSON
public import FencepostModel

/// Reads and writes the broker that an administrator sets. The members are those of `mqtt` in the configuration, but for the paths
/// of files, which belong to the machine of the service: in place of `caFile` there is `caCertificate`, the text of such a file.
public enum BrokerFile {
    /// The largest stored text in bytes.
    public static let limit = 65_536

    /// Members of an object that says how to reach a broker.
    private static let address = ["host", "port", "tls", "username", "password", "clientId"]
    private static let certificate = "caCertificate"
    /// Members of the configuration that a body may have.
    private static let configured = address + ["topic", "publish", "homeAssistant", "publishTo"]
    /// Members that a body may have besides: of answers, and of the API alone.
    private static let others = ["passwordIsSet", certificate]

    /// Reads a choice.
    ///
    /// - Parameters:
    ///   - root: the object. A null stands for a member that is not there.
    ///   - former: the choice that is replaced. Its passwords stay where the object has no `password` and names the same host and
    ///     port; a null removes one.
    /// - Returns: the choice, or `nil` with all problems.
    public static func read(
        _ root: JSONElement, replacing former: BrokerChoice? = nil
    ) -> (choice: BrokerChoice?, problems: [Diagnostic]) {
        guard root.object != nil else { return (nil, [problem("invalid_value", "", "This has to be an object.")]) }
        var problems = unknown(root, configured, "")
        if let other = root["publishTo"], other.object != nil { problems += unknown(other, address, "/publishTo") }
        var reader = ConfigurationReader()
        guard let document = try? JSONDocument(parsing: known(root)) else {
            return (nil, [problem("invalid_value", "", "This has to be an object.")])
        }
        problems += reader.readBroker(document.root)
        guard problems.isEmpty, var choice = reader.configuration.brokers else { return (nil, problems) }
        problems += readCertificate(of: root, into: &choice.broker, "")
        problems += keepPassword(of: former?.broker, in: &choice.broker, root, "")
        if var other = choice.publishBroker, let object = root["publishTo"] {
            problems += readCertificate(of: object, into: &other, "/publishTo")
            problems += keepPassword(of: former?.publishBroker, in: &other, object, "/publishTo")
            choice.publishBroker = other
        }
        if problems.isEmpty, text(of: choice).utf8.count > limit {
            problems = [problem("invalid_value", "/publish", "All settings together may have at most \(limit) bytes.")]
        }
        return problems.isEmpty ? (choice, []) : (nil, problems)
    }

    /// Reads a stored choice; `nil` for a damaged one.
    public static func read(stored text: String) -> BrokerChoice? {
        (try? JSONDocument(parsing: text)).flatMap { read($0.root).choice }
    }

    /// A choice as it is stored, with its passwords. `read` reads it again as it was.
    public static func text(of choice: BrokerChoice) -> String {
        var writer = JSONWriter()
        writer.value(choice, showsPasswords: true)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func problem(_ code: String, _ pointer: String, _ message: String) -> Diagnostic {
        Diagnostic(code: code, at: .pointer(pointer), message)
    }

    private static func unknown(_ element: JSONElement, _ known: [String], _ section: String) -> [Diagnostic] {
        let known = known + others
        return (element.object.map { Array($0) } ?? []).filter { !known.contains($0.name) && !$0.value.isNull }
            .map { member in
                let pointer = section + JSONPointer().appending(member.name).description
                if member.name == "caFile" {
                    return problem(
                        "unknown_key", pointer,
                        "A file of the service's machine can be named in its configuration only: send what is in it as "
                            + "\"caCertificate\", or set mqtt.caFile there.")
                }
                let hint = nearest(to: member.name, in: known).map { "did you mean \"\($0)\"?" }
                let list = "known are " + known.map { "\"\($0)\"" }.joined(separator: ", ") + "."
                return problem("unknown_key", pointer, "There is no key \"\(member.name)\" here; \(hint ?? list)")
            }
    }

    /// The object with the members that the configuration has, without nulls.
    private static func known(_ root: JSONElement) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for member in root.object.map({ Array($0) }) ?? [] where !member.value.isNull {
            guard configured.contains(member.name) else { continue }
            writer.name(member.name)
            guard member.name == "publishTo", let other = member.value.object else {
                writer.value(member.value)
                continue
            }
            writer.beginObject()
            for part in other where address.contains(part.name) && !part.value.isNull {
                writer.name(part.name)
                writer.value(part.value)
            }
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }

    /// Reads the certificates of the authorities that signed the broker's.
    private static func readCertificate(
        of object: JSONElement, into settings: inout BrokerSettings, _ section: String
    ) -> [Diagnostic] {
        guard let element = object[certificate], !element.isNull else { return [] }
        let pointer = "\(section)/\(certificate)"
        guard let text = element.string else {
            return [problem("invalid_value", pointer, "This has to be a text: a certificate in PEM.")]
        }
        guard settings.usesTLS else {
            return [
                problem(
                    "invalid_value", pointer,
                    "It needs \"tls\":true: without encryption a broker shows no certificate. Leave it out, or set tls."
                )
            ]
        }
        do throws(CertificateText.Refusal) {
            settings.caCertificate = try CertificateText.read(text)
            return []
        } catch {
            return [problem("invalid_certificate", pointer, error.detail)]
        }
    }

    /// Keeps the password of the former settings, which no answer shows, unless it would be sent to another broker.
    private static func keepPassword(
        of former: BrokerSettings?, in settings: inout BrokerSettings, _ object: JSONElement, _ section: String
    ) -> [Diagnostic] {
        guard object["password"] == nil, let former, let password = former.password else { return [] }
        guard former.address == settings.address else {
            return [
                problem(
                    "password_needed", section + "/password",
                    "Enter the password again: the stored one is for \(former.address), and is not sent to another broker. "
                        + "null removes it.")
            ]
        }
        settings.password = password
        return []
    }
}

extension JSONWriter {
    /// The members of `mqtt` in the configuration, those that are set; without passwords, that they are set.
    public mutating func value(_ choice: BrokerChoice, showsPasswords: Bool = false) {
        beginObject()
        address(choice.broker, showsPasswords)
        text("topic", choice.broker.topic)
        if let publish = choice.broker.publish {
            name("publish")
            publication(publish)
            if let discovery = publish.homeAssistant { text("homeAssistant", discovery) }
        }
        if let other = choice.publishBroker {
            name("publishTo")
            beginObject()
            address(other, showsPasswords)
            endObject()
        }
        endObject()
    }

    private mutating func address(_ broker: BrokerSettings, _ showsPasswords: Bool) {
        text("host", broker.host)
        name("port")
        value(broker.port)
        name("tls")
        value(broker.usesTLS)
        if let username = broker.username { text("username", username) }
        if showsPasswords {
            if let password = broker.password { text("password", password) }
        } else {
            name("passwordIsSet")
            value(broker.password != nil)
        }
        // Of the configuration only.
        if let file = broker.caFile { text("caFile", file) }
        // Of the API only.
        if let certificate = broker.caCertificate { text("caCertificate", certificate) }
        text("clientId", broker.clientID)
    }
}
