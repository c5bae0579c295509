public import FencepostModel
public import FencepostService

/// The webhook operations that the HTTP API needs: checks of endpoints, secrets, tests and notifications.
public struct WebhookService: Sendable {
    private let dispatcher: WebhookDispatcher
    private let addressGuard: AddressGuard
    private let resolver: any HostResolver

    /// A service for a dispatcher; the guard decides which addresses endpoints may have.
    public init(
        _ dispatcher: WebhookDispatcher, guard addressGuard: AddressGuard, resolver: any HostResolver = SystemResolver()
    ) {
        self.dispatcher = dispatcher
        self.addressGuard = addressGuard
        self.resolver = resolver
    }

    /// Checks the form of the URL of an endpoint, whatever network its host is in.
    ///
    /// - Returns: the problem in one sentence; `nil` when the URL can be used.
    public func problem(withURL url: String, of kind: Endpoint.Kind) -> String? {
        // The configuration names the broker.
        if kind == .mqtt { return nil }
        if kind.isBroker {
            do throws(BrokerURL.Failure) {
                _ = try BrokerServers(url, of: kind, guard: .unrestricted)
                return nil
            } catch {
                return error.description
            }
        }
        do throws(EndpointURL.Failure) {
            if kind == .email {
                _ = try MailServer(url, guard: .unrestricted)
            } else {
                let parsed = try EndpointURL(url, guard: .unrestricted)
                if kind == .ntfy, parsed.path.prefix(while: { $0 != "?" }).allSatisfy({ $0 == "/" }) { throw .noTopic }
            }
            return nil
        } catch {
            return error.description
        }
    }

    /// Looks the host of an endpoint's URL up, and checks its addresses and the scheme.
    ///
    /// - Returns: why messages would not be sent there; `nil` when they would, also when the name is not found but may be
    ///   later.
    public func refusal(ofURL url: String, of kind: Endpoint.Kind) async -> NetworkRefusal? {
        await NetworkCheck(addressGuard: addressGuard, resolver: resolver).refusal(ofURL: url, of: kind)
    }

    /// The usual notation of a network that an administrator wants to allow.
    ///
    /// - Throws: when the text is no network, or one that may not be allowed.
    public func network(_ text: String) throws(InvalidNetwork) -> String {
        guard let network = IPNetwork(text)?.canonical else {
            throw InvalidNetwork(detail: "The value has to be a network such as 192.168.1.0/24.")
        }
        guard addressGuard.mayOpen(network) else {
            throw InvalidNetwork(
                detail: "Only private networks can be allowed: parts of 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, "
                    + "100.64.0.0/10 and fc00::/7, and addresses of this machine that webhooks.allowedNetworks lists.")
        }
        return network.description
    }

    /// Checks a signing secret.
    ///
    /// - Returns: the problem in one sentence; `nil` when the secret can sign.
    public func problem(withSecret secret: String) -> String? {
        do throws(WebhookSecret.Failure) {
            return try WebhookSecret(secret).canSign ? nil : "a public key (whpk_) cannot sign messages"
        } catch {
            return error.description
        }
    }

    /// Generates a signing secret, `whsec_…`.
    public func makeSecret() -> String {
        var generator = SystemRandomNumberGenerator()
        return WebhookSecret.generate(using: &generator)
    }

    /// Reads the endpoints from the store again. On return events are matched against them.
    public func endpointsDidChange() async throws {
        try await dispatcher.reloadEndpoints()
    }

    /// Notifies the dispatcher that deliveries of an endpoint were added or made due.
    public func deliveriesDidChange(of endpoint: String) {
        dispatcher.notify(endpoints: [endpoint])
    }

    /// Sends one `webhook.test` event to an endpoint at once.
    public func test(_ endpoint: Endpoint) async -> DeliveryAttempt {
        await dispatcher.test(endpoint)
    }

    /// Writes the messages of an endpoint for people about sample events.
    public func preview(_ endpoint: Endpoint) -> [MessagePreview] {
        dispatcher.roster.previews(of: endpoint, at: dispatcher.clock.now())
    }

    /// The event of a report and its messages.
    public func report(
        _ schedule: ReportSchedule, _ run: ReportTiming.Run, at now: Timestamp, isAskedFor: Bool
    ) -> (event: NewEvent, deliveries: [NewDelivery]) {
        dispatcher.roster.report(schedule, run, at: now, isAskedFor: isAskedFor)
    }

    /// The messages that an endpoint would have received for stored events if it had been active.
    public func messages(for events: [StoredEvent], to endpoint: Endpoint) -> [NewDelivery] {
        dispatcher.roster.messages(for: events, to: endpoint)
    }
}
