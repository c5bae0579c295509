import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes
import Logging

/// Routes of the MQTT broker (rule A32). That of the configuration is shown, and only it can change it.
extension API {
    var brokerRoutes: [Route] { [getBroker, putBroker, deleteBroker, testBroker] }

    private static let brokerTag = "MQTT"
    private static let brokerExample =
        #"{"host":"homeassistant.local","username":"fencepost","password":"…","homeAssistant":true}"#

    private var getBroker: Route {
        Route(
            method: .get, path: "/v1/mqtt", name: "getBroker",
            summary: "Shows the MQTT broker, and what the connections to it do", tag: Self.brokerTag,
            access: .unbound(.admin),
            successes: [
                .json(Schema.named("Broker"), "The broker, without passwords, with an ETag of what is set.")
            ], partition: .configuration,
            handle: { _ in try await brokerResponse() })
    }

    private var putBroker: Route {
        Route(
            method: .put, path: "/v1/mqtt", name: "putBroker",
            summary: "Sets the MQTT broker, and connects to it at once. Without a password the stored one stays",
            tag: Self.brokerTag, access: .unbound(.admin), body: brokerBody(),
            successes: [.json(Schema.named("Broker"), "The broker.")], failures: [.preconditionFailed, .conflict],
            partition: .configuration,
            handle: { call in
                let brokers = try brokers(forChange: true)
                let root = try call.json().root
                while true {
                    let stored = try await store.brokerText()
                    let former = stored.flatMap { BrokerFile.read(stored: $0) }
                    try call.precondition.check(former.map(Self.tag))
                    let choice = try readBroker(root, replacing: former)
                    try await checkEndpoint(of: choice)
                    let text = BrokerFile.text(of: choice)
                    guard text != stored else { return try await brokerResponse() }
                    guard try await store.changeBroker(from: stored, to: text) else { continue }
                    logBroker("the MQTT broker is set", choice, call)
                    try await brokers.brokerDidChange()
                    return try await brokerResponse()
                }
            })
    }

    private var deleteBroker: Route {
        Route(
            method: .delete, path: "/v1/mqtt", name: "deleteBroker",
            summary: "Removes the MQTT broker: clears what it keeps, where it can be reached, and disconnects",
            tag: Self.brokerTag, access: .unbound(.admin),
            successes: [.json(Schema.named("Broker"), "There is no broker any more; uncleared says what stays.")],
            failures: [.preconditionFailed, .conflict], partition: .configuration,
            handle: { call in
                let brokers = try brokers(forChange: true)
                while true {
                    guard let stored = try await store.brokerText() else { throw Problem.notFound("broker") }
                    let former = BrokerFile.read(stored: stored)
                    if call.precondition.ifMatch != nil { try call.precondition.check(former.map(Self.tag)) }
                    guard try await store.changeBroker(from: stored, to: nil) else { continue }
                    logBroker("the MQTT broker is removed", former, call)
                    try await brokers.brokerDidChange()
                    return try await brokerResponse()
                }
            })
    }

    private var testBroker: Route {
        Route(
            method: .post, path: "/v1/mqtt/test", name: "testBroker",
            summary: "Connects to an MQTT broker for at most ten seconds, without setting it", tag: Self.brokerTag,
            access: .unbound(.admin), body: brokerBody(isRequired: false),
            successes: [
                .json(
                    Schema.named("BrokerTest"),
                    "What has happened. A broker that cannot be used is part of it, not an error of the request.")
            ], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                let brokers = try brokers(forChange: false)
                let current = try await currentBroker()
                let choice: BrokerChoice
                if call.body.isEmpty {
                    guard let current else {
                        throw Problem.conflict("no_broker", "There is no broker yet: send settings to test.")
                    }
                    choice = current
                } else {
                    choice = try readBroker(try call.json().root, replacing: current)
                }
                let result = await brokers.test(choice)
                return RouteResponse { $0.value(result, choice) }
            })
    }

    private func brokerBody(isRequired: Bool = true) -> Route.Body {
        Route.Body(
            types: ["application/json"], schema: Schema.named("NewBroker"), example: Self.brokerExample,
            isRequired: isRequired)
    }

    // MARK: Reading

    /// The connections, if they may be changed over the API.
    private func brokers(forChange: Bool) throws(Problem) -> any BrokerServices {
        guard let brokers else { throw .notImplemented("This server has no connections to brokers.") }
        if forChange, let (_, origin) = brokers.configured {
            let file = origin.map { " (\($0))" } ?? ""
            throw .conflict(
                "mqtt_is_configured",
                "The configuration names the broker\(file): change it there, or remove \"mqtt\" there and start the service "
                    + "again to set it here.")
        }
        return brokers
    }

    /// The broker that is in effect; `nil` for none.
    private func currentBroker() async throws -> BrokerChoice? {
        if let configured = brokers?.configured { return configured.choice }
        return try await store.brokerText().flatMap { BrokerFile.read(stored: $0) }
    }

    private func readBroker(_ root: JSONElement, replacing former: BrokerChoice?) throws(Problem) -> BrokerChoice {
        let (choice, problems) = BrokerFile.read(root, replacing: former)
        let detail = "The settings of the broker are invalid."
        guard let choice else { throw .diagnostics(problems, detail) ?? .invalid("invalid_value", detail) }
        for (broker, section) in [(choice.broker, ""), (choice.publishBroker, "/publishTo")] {
            guard let detail = broker?.caCertificate.flatMap({ CertificateCheck.problem(with: $0) }) else { continue }
            let fault = Problem.Fault(
                pointer: section + "/caCertificate", code: "invalid_certificate", detail: detail)
            throw .invalid("invalid_certificate", detail, [fault])
        }
        if choice.publication != nil, !(brokers?.mayPublish ?? true) {
            let pointer =
                choice.publishBroker != nil ? "/publishTo" : root["publish"] != nil ? "/publish" : "/homeAssistant"
            let detail =
                "Nothing can be published in a cluster of several partitions: their leaders would replace each other's state at "
                + "the broker. Leave it out."
            throw .invalid(
                "invalid_value", detail, [Problem.Fault(pointer: pointer, code: "invalid_value", detail: detail)])
        }
        return choice
    }

    /// Refuses to publish where somebody has given the endpoint's id to another one, which would be replaced.
    private func checkEndpoint(of choice: BrokerChoice) async throws {
        guard choice.publication != nil,
            let found = try await store.endpoint(id: PublishSettings.endpointID)?.endpoint, found.kind != .mqtt
        else { return }
        throw Problem.conflict(
            "endpoint_exists",
            "The endpoint with the id \"\(found.id)\" is in the way of the one through which events go to the broker. Add it "
                + "again under another id, and remove this one.")
    }

    // MARK: Answers

    private func brokerResponse() async throws -> RouteResponse {
        let brokers = try brokers(forChange: false)
        let (choice, status) = (try await currentBroker(), await brokers.status())
        let response = RouteResponse { writer in
            writer.beginObject()
            writer.member("isSet", choice != nil)
            writer.member("isConfigured", brokers.configured != nil)
            writer.member("origin", brokers.configured?.origin)
            writer.member("mayPublish", brokers.mayPublish)
            if let choice {
                writer.name("settings")
                writer.value(choice)
            }
            writer.link("receiving", status.receiving)
            writer.link("publishing", status.publishing)
            writer.array("uncleared", status.uncleared.sorted { $0.key < $1.key }) { writer, element in
                writer.beginObject()
                writer.member("broker", element.key)
                writer.member("topics", element.value)
                writer.endObject()
            }
            writer.endObject()
        }
        return choice.map { response.tagged(Self.tag($0)) } ?? response
    }

    /// The tag of what is set. A password counts as far as it is set: a tag must not let anybody try passwords.
    private static func tag(_ choice: BrokerChoice) -> EntityTag {
        var writer = JSONWriter()
        writer.value(choice)
        return EntityTag(of: writer.bytes)
    }

    private func logBroker(_ message: String, _ choice: BrokerChoice?, _ call: Call) {
        logger.notice(
            "\(message)",
            metadata: ["broker": "\(choice?.broker.address ?? "?")", "by": "\(call.caller.ownerID ?? "local")"])
    }
}

extension JSONWriter {
    fileprivate mutating func link(_ title: String, _ link: BrokerStatus.Link?) {
        guard let link else { return }
        name(title)
        beginObject()
        member("isConnected", link.connectedSince != nil)
        member("since", link.connectedSince)
        member("messages", link.messages)
        if let (failure, time) = link.lastFailure {
            name("lastFailure")
            beginObject()
            member("at", time)
            members(of: failure)
            endObject()
        }
        endObject()
    }

    private mutating func members(of failure: BrokerFailure) {
        member("reason", failure.reason.rawValue)
        member("detail", failure.description)
    }

    /// The result of a test.
    fileprivate mutating func value(_ result: BrokerTest, _ choice: BrokerChoice) {
        let broker = result.isOfPublishBroker ? choice.publishBroker ?? choice.broker : choice.broker
        beginObject()
        member("succeeded", result.failure == nil)
        member("broker", broker.address)
        if let failure = result.failure {
            members(of: failure)
        } else {
            member("detail", "The broker at \(broker.address) has accepted connection and subscription.")
        }
        member("duration", result.duration.seconds)
        if let (devices, entities) = result.homeAssistant {
            name("homeAssistant")
            beginObject()
            member("devices", devices)
            member("entities", entities)
            endObject()
        }
        endObject()
    }
}
