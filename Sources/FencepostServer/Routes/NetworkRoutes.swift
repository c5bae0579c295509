import FencepostHTTP
import FencepostJSON
import FencepostService
import HTTPTypes
import Logging

/// Routes of the private networks to which messages may be sent (rule A25), and the check of an endpoint's network.
extension API {
    private static let tag = "Networks"

    var networkRoutes: [Route] {
        [
            Route(
                method: .get, path: "/v1/networks", name: "listNetworks",
                summary: "Lists the private networks to which messages may be sent, also without TLS", tag: Self.tag,
                access: .unbound(.admin),
                successes: [.json(Schema.list(of: Schema.named("AllowedNetwork")), "The networks, by id.")],
                partition: .configuration,
                handle: { call in call.page(try await store.allowedNetworks(), next: nil) { $0.value($1) } }),
            postNetwork,
            Route(
                method: .delete, path: "/v1/networks/{id}", name: "deleteNetwork",
                summary: "Forbids messages to a private network at once", tag: Self.tag, access: .unbound(.admin),
                parameters: [.id("network")], successes: [.noContent("The network is no longer allowed.")],
                partition: .configuration,
                handle: { call in
                    guard let network = try await store.removeNetwork(id: call.parameter("id")) else {
                        throw Problem.notFound("network")
                    }
                    try await applyNetworks()
                    log("a private network is no longer allowed for endpoints", network, call)
                    return .noContent
                }),
        ]
    }

    private var postNetwork: Route {
        Route(
            method: .post, path: "/v1/networks", name: "postNetwork",
            summary: "Allows messages to a private network, also without TLS", tag: Self.tag, access: .unbound(.admin),
            body: Route.Body(
                types: ["application/json"], schema: Schema.named("NewNetwork"),
                example: #"{"network":"192.168.1.0/24"}"#),
            successes: [.created(Schema.named("AllowedNetwork"), "The network.")], failures: [.conflict],
            partition: .configuration,
            handle: { call in
                let root = try call.json().root
                try root.checkMembers(["network"])
                let text = try network(root["network"]?.string ?? "")
                guard try await store.allowedNetworks().count < AllowedNetwork.limit else {
                    throw Problem.invalid(
                        "too_many_networks", "There may be at most \(AllowedNetwork.limit) networks: remove one first.")
                }
                let allowed = AllowedNetwork(id: newID("net_"), network: text, createdAt: clock.now())
                guard try await store.add(allowed) else {
                    throw Problem.conflict("network_exists", "The network \(text) is allowed.")
                }
                try await applyNetworks()
                log("a private network is allowed for endpoints", allowed, call)
                return RouteResponse(.created) { $0.value(allowed) }.located(at: "/v1/networks/\(allowed.id)")
            })
    }

    private func network(_ text: String) throws(Problem) -> String {
        do throws(InvalidNetwork) {
            return try endpoints.network(text)
        } catch {
            let fault = Problem.Fault(pointer: "/network", code: "invalid_network", detail: error.detail)
            throw .invalid("invalid_network", error.detail, [fault])
        }
    }

    /// Applies the stored networks, and again if they changed meanwhile, so that the last change wins.
    private func applyNetworks() async throws {
        var networks = try await store.allowedNetworks()
        while true {
            try endpoints.allow(networks)
            let stored = try await store.allowedNetworks()
            if stored == networks { return }
            networks = stored
        }
    }

    private func log(_ message: String, _ network: AllowedNetwork, _ call: Call) {
        logger.notice(
            "\(message)", metadata: ["network": "\(network.network)", "by": "\(call.caller.ownerID ?? "local")"])
    }

    /// Refuses an endpoint in a network that is not allowed. What looking a name up has found is for administrators.
    func checkNetwork(of endpoint: Endpoint, replacing current: Endpoint?, _ call: Call) async throws {
        if let current, (current.url, current.kind) == (endpoint.url, endpoint.kind) { return }
        guard let refusal = await endpoints.refusal(ofURL: endpoint.url, of: endpoint.kind) else { return }
        let isAdministrator = call.caller.has(.admin) && !call.caller.isLimited
        let code = refusal.network == nil ? "invalid_url" : "network_not_allowed"
        let detail = isAdministrator ? refusal.administratorDetail : refusal.detail
        let fault = Problem.Fault(
            pointer: "/url", code: code, detail: detail, network: isAdministrator ? refusal.network : nil)
        throw Problem.invalid(code, detail, [fault])
    }
}

extension JSONWriter {
    /// A private network to which messages may be sent.
    mutating func value(_ network: AllowedNetwork) {
        beginObject()
        member("id", network.id)
        member("network", network.network)
        member("createdAt", network.createdAt)
        endObject()
    }
}
