import FencepostJSON

/// The keys of brokers.
extension ConfigurationKey {
    /// Where the broker is that Fencepost reads from.
    static let broker = address("/mqtt", \.mqtt)

    /// Where the broker is that Fencepost publishes to, when it is another one.
    static let publishTo = address("/mqtt/publishTo", \.publishBroker)

    /// The keys that say how to reach a broker. The host comes first: it makes the section.
    private static func address(
        _ section: String, _ broker: any WritableKeyPath<Configuration, BrokerSettings?> & Sendable
    ) -> [ConfigurationKey] {
        /// A key of a broker that has a host. Without one, the missing host is reported.
        func part(
            _ name: String, secret: Bool = false,
            _ read: @escaping @Sendable (Value, inout BrokerSettings) throws -> Void,
            _ write: @escaping @Sendable (BrokerSettings?, inout JSONWriter) -> Void
        ) -> ConfigurationKey {
            key(
                section + "/" + name, restart: true, secret: secret,
                { value, configuration in
                    var settings = configuration[keyPath: broker] ?? BrokerSettings(host: "")
                    try read(value, &settings)
                    if configuration[keyPath: broker] != nil { configuration[keyPath: broker] = settings }
                }, { write($0[keyPath: broker], &$1) })
        }
        return [
            key(
                section + "/host", restart: true,
                { value, configuration in
                    let host = try value.brokerHost()
                    if configuration[keyPath: broker] == nil {
                        configuration[keyPath: broker] = BrokerSettings(host: host)
                    }
                    configuration[keyPath: broker]?.host = host
                }, { $1.optional($0[keyPath: broker]?.host) }),
            part("port", { $1.port = try $0.whole(in: 1...65_535) }, { $1.optional($0?.port) }),
            part("username", { $1.username = try $0.plain("a name") }, { $1.optional($0?.username) }),
            part("password", secret: true, { $1.password = try $0.plain("a password") }, { $1.optional($0?.password) }),
            part("caFile", { $1.caFile = try $0.path() }, { $1.optional($0?.caFile) }),
            part("clientId", { $1.clientID = try $0.plain("a name") }, { $1.optional($0?.clientID) }),
            part("tls", { $1.usesTLS = try $0.bool() }, { $1.value($0?.usesTLS ?? false) }),
        ]
    }

    /// What is read from the broker, and what is published.
    static let messages: [ConfigurationKey] = [
        key(
            "/mqtt/topic", restart: true,
            { value, configuration in
                let topic = try value.topicFilter()
                configuration.mqtt?.topic = topic
            },
            { $1.optional($0.mqtt?.topic) }),
        key(
            "/mqtt/publish", restart: true,
            { value, configuration in
                let discovery = configuration.mqtt?.publish?.homeAssistant
                let publication = try value.publication()
                configuration.mqtt?.publish = publication
                if let discovery { configuration.mqtt?.publish?.homeAssistant = discovery }
            }, { $1.publication($0.mqtt?.publish) }),
        key(
            "/mqtt/homeAssistant", restart: true,
            { value, configuration in
                guard let prefix = try value.discovery() else {
                    configuration.mqtt?.publish?.homeAssistant = nil
                    return
                }
                if configuration.mqtt?.publish == nil { configuration.mqtt?.publish = PublishSettings() }
                configuration.mqtt?.publish?.homeAssistant = prefix
            }, { $1.optional($0.mqtt?.publish?.homeAssistant) }),
    ]
}

extension ConfigurationKey.Value {
    /// The longest text of the protocol in bytes.
    private static let longestText = 65_535

    /// A text that a broker takes: without control characters, at which the client library would cut it.
    func plain(_ wanted: String) throws -> String {
        let text = try text(wanted)
        guard text.utf8.count <= Self.longestText,
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else {
            throw ConfigurationKey.Mismatch(wanted: wanted + " without control characters")
        }
        return text
    }

    /// The host of a broker alone. People paste an address with its scheme and its port, which would be looked up as a name.
    func brokerHost() throws -> String {
        let wanted = "a name or an address such as homeassistant.local, without mqtt:// and without a port"
        let host = try plain(wanted)
        let isAddress = host.contains("::") || host.split(separator: ":").count > 2
        guard host.utf8.count <= 255, !host.contains(where: { $0 == "/" || $0 == "@" || $0.isWhitespace }),
            isAddress || !host.contains(":")
        else { throw ConfigurationKey.Mismatch(wanted: wanted) }
        return host
    }

    /// A topic filter (MQTT 3.1.1, 4.7): + is a whole level, and # the last one.
    func topicFilter() throws -> String {
        let wanted = "a topic filter such as owntracks/#"
        let text = try plain(wanted)
        let levels = text.split(separator: "/", omittingEmptySubsequences: false)
        for (index, level) in levels.enumerated() where level.contains(where: { $0 == "+" || $0 == "#" }) {
            guard level == "+" || level == "#" && index == levels.count - 1 else {
                throw ConfigurationKey.Mismatch(wanted: wanted + ", in which + is a whole level and # the last one")
            }
        }
        return text
    }
}
