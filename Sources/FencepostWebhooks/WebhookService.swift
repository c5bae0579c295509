public import FencepostService

/// The webhook operations that the HTTP API needs: checks of endpoints, secrets, tests and notifications.
public struct WebhookService: EndpointServices {
    private let dispatcher: WebhookDispatcher
    private let addressGuard: AddressGuard

    /// A service for a dispatcher; the guard decides which addresses endpoints may have.
    public init(_ dispatcher: WebhookDispatcher, guard addressGuard: AddressGuard) {
        self.dispatcher = dispatcher
        self.addressGuard = addressGuard
    }

    /// Checks the URL of an endpoint, without a look-up of its host.
    ///
    /// - Returns: the problem in one sentence; `nil` when the URL can be used.
    public func problem(withURL url: String, of kind: Endpoint.Kind) -> String? {
        // The configuration names the broker.
        if kind == .mqtt { return nil }
        do throws(EndpointURL.Failure) {
            if kind == .email {
                _ = try MailServer(url, guard: addressGuard)
            } else {
                let parsed = try EndpointURL(url, guard: addressGuard)
                if kind == .ntfy, parsed.path.prefix(while: { $0 != "?" }).allSatisfy({ $0 == "/" }) { throw .noTopic }
            }
            return nil
        } catch {
            return error.description
        }
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
        MessageSamples.previews(of: endpoint, at: dispatcher.clock.now())
    }

    /// The messages that an endpoint would have received for stored events if it had been active.
    public func messages(for events: [StoredEvent], to endpoint: Endpoint) -> [NewDelivery] {
        dispatcher.roster.messages(for: events, to: endpoint)
    }
}
