public import FencepostService

/// The dispatcher together with what it sends by, as the HTTP API sees it.
public struct WebhookService: EndpointServices {
    private let dispatcher: WebhookDispatcher
    private let addressGuard: AddressGuard

    public init(_ dispatcher: WebhookDispatcher, guard addressGuard: AddressGuard) {
        self.dispatcher = dispatcher
        self.addressGuard = addressGuard
    }

    public func problem(withURL url: String) -> String? {
        do throws(EndpointURL.Failure) {
            _ = try EndpointURL(url, guard: addressGuard)
            return nil
        } catch {
            return error.description
        }
    }

    public func problem(withSecret secret: String) -> String? {
        do throws(WebhookSecret.Failure) {
            return try WebhookSecret(secret).canSign ? nil : "a public key checks signatures and makes none"
        } catch {
            return error.description
        }
    }

    public func makeSecret() -> String {
        var generator = SystemRandomNumberGenerator()
        return WebhookSecret.generate(using: &generator)
    }

    public func endpointsDidChange() async throws {
        try await dispatcher.reloadEndpoints()
    }

    public func deliveriesDidChange(of endpoint: String) {
        dispatcher.notify(endpoints: [endpoint])
    }

    public func test(_ endpoint: Endpoint) async -> DeliveryAttempt {
        await dispatcher.test(endpoint)
    }

    public func messages(for events: [StoredEvent], to endpoint: Endpoint) -> [NewDelivery] {
        dispatcher.roster.messages(for: events, to: endpoint)
    }
}
