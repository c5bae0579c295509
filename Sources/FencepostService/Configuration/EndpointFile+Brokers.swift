import FencepostGeometry
import FencepostJSON
import FencepostModel

/// Reads and writes the members of endpoints at message brokers.
extension EndpointFile {
    /// The keys that only endpoints at message brokers have.
    static let brokerKeys = [
        "subject", "jetStream", "stream", "maximumLength", "exchange", "routingKey", "saslMechanism",
    ]

    static func readDestination(_ members: [String: JSONElement], of endpoint: inout Endpoint, _ reader: inout Reader) {
        // Each kind has one of them; `checkKind` refuses those of others.
        for name in ["subject", "stream", "routingKey"] where members[name] != nil {
            endpoint.destination.address = reader.text(members, name)
        }
        if let element = members["exchange"] {
            endpoint.destination.exchange = element.isNull ? nil : reader.text(members, "exchange", limit: 127)
        }
        if let usesJetStream = reader.bool(members, "jetStream") { endpoint.destination.usesJetStream = usesJetStream }
        if let element = members["maximumLength"] {
            if element.isNull {
                endpoint.destination.maximumLength = nil
            } else if let number = element.double.flatMap(Int.init(exactly:)), (1...1_000_000_000).contains(number) {
                endpoint.destination.maximumLength = number
            } else {
                reader.report(
                    reader.pointer.appending("maximumLength"), "invalid_value",
                    "This has to be a whole number from 1 to 1000000000, or null for no limit.")
            }
        }
        if let element = members["saslMechanism"] {
            let mechanism = element.string.flatMap(Endpoint.Mechanism.init(rawValue:))
            if element.isNull || mechanism != nil {
                endpoint.destination.mechanism = mechanism
            } else {
                let known = Endpoint.Mechanism.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
                reader.report(
                    reader.pointer.appending("saslMechanism"), "invalid_value", "This has to be one of \(known).")
            }
        }
    }

    /// Reports what an endpoint at a broker has and does not need, or needs and does not have.
    static func checkBroker(of endpoint: Endpoint, _ members: [String: JSONElement], _ reader: inout Reader) {
        let kind = endpoint.kind
        guard let broker = kind.broker else { return }
        let pointer = reader.pointer
        if members["secret"] != nil {
            reader.report(
                pointer.appending("secret"), "unknown_key",
                "Messages to a broker have no signature; leave \"secret\" out.")
        }
        if endpoint.format == .batch {
            reader.report(
                pointer.appending("format"), "invalid_value",
                "A broker has \"standard\", \"structured\" or \"binary\" messages, and no batches.")
        }
        let people = endpoint.people
        if people.username == nil, kind != .redis, people.password != nil || endpoint.destination.mechanism != nil {
            reader.report(
                pointer.appending("username"), "missing_key", "Write the \"username\" that the password belongs to.")
        }
        if people.username != nil, people.password == nil {
            reader.report(
                pointer.appending("password"), "missing_key",
                "Write the \"password\" of the user, without which nobody "
                    + "can sign in.")
        }
        if people.token != nil, people.username != nil {
            reader.report(
                pointer.appending("token"), "invalid_value", "Write a \"token\" or a \"username\", but not both.")
        }
        do throws(BrokerURL.Failure) {
            let url = try BrokerURL(endpoint.url, of: kind)
            if kind == .kafka { checkTemplate(url.path, of: kind, at: pointer.appending("url"), &reader) }
        } catch {
            reader.report(pointer.appending("url"), "invalid_url", "Here \(error.description).")
        }
        guard let key = broker.addressKey else { return }
        guard let template = endpoint.destination.address else {
            return reader.report(
                pointer.appending(key), "missing_key",
                "An endpoint of the kind \"\(kind.rawValue)\" needs \"\(key)\", such as \"fencepost.{device}.{type}\".")
        }
        checkTemplate(template, of: kind, at: pointer.appending(key), &reader)
    }

    private static func checkTemplate(
        _ text: String, of kind: Endpoint.Kind, at pointer: JSONPointer, _ reader: inout Reader
    ) {
        do throws(DestinationTemplate.Failure) { _ = try DestinationTemplate(text, of: kind) } catch {
            reader.report(pointer, "invalid_template", error.description)
        }
    }
}

extension JSONWriter {
    /// Writes the members of endpoints at brokers, without secrets.
    mutating func writeDestination(of endpoint: Endpoint) {
        guard let broker = endpoint.kind.broker else { return }
        if let username = endpoint.people.username { text("username", username) }
        let destination = endpoint.destination
        if let key = broker.addressKey, let address = destination.address { text(key, address) }
        if endpoint.kind == .nats {
            name("jetStream")
            value(destination.usesJetStream)
        }
        if let length = destination.maximumLength {
            name("maximumLength")
            value(length)
        }
        if let exchange = destination.exchange { text("exchange", exchange) }
        if let mechanism = destination.mechanism { text("saslMechanism", mechanism.rawValue) }
    }
}
