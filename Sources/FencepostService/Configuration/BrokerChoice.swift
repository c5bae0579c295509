/// The MQTT brokers of a service: those of the configuration, or what an administrator has set.
public struct BrokerChoice: Hashable, Sendable {
    /// The broker with the phones' messages, and what is published.
    public var broker: BrokerSettings
    /// The broker to publish to; `nil` for the same one.
    public var publishBroker: BrokerSettings?

    /// A choice.
    public init(_ broker: BrokerSettings, publishBroker: BrokerSettings? = nil) {
        (self.broker, self.publishBroker) = (broker, publishBroker)
    }

    /// What is published, and to which broker; `nil` for nothing. A broker to publish to turns it on.
    public var publication: (broker: BrokerSettings, settings: PublishSettings)? {
        if let publishBroker { return (publishBroker, broker.publish ?? PublishSettings()) }
        return broker.publish.map { (broker, $0) }
    }

    /// The endpoint through whose queue events go to the broker; `nil` when nothing is published.
    public var endpoint: EndpointFile.Draft? {
        publication.map { broker, settings in settings.draft(broker: broker.address) }
    }
}

extension BrokerSettings {
    /// Host and port. Topics that the broker keeps are noted by it.
    public var address: String { "\(host):\(port)" }
}

extension Configuration {
    /// The brokers that the configuration names; `nil` for none.
    public var brokers: BrokerChoice? { mqtt.map { BrokerChoice($0, publishBroker: publishBroker) } }

    /// What is published, and to which broker; `nil` for nothing.
    public var publication: (broker: BrokerSettings, settings: PublishSettings)? { brokers?.publication }

    /// The endpoints of the file, and that of the broker if messages are published there.
    public var allEndpoints: [EndpointFile.Draft] { endpoints + [brokers?.endpoint].compactMap(\.self) }
}
