/// Stores the MQTT broker that administrators set, where the configuration names none.
public protocol BrokerStore: Sendable {
    /// The broker as it is stored, as `BrokerFile` reads it; `nil` for none.
    func brokerText() async throws -> String?
    /// Sets, replaces or removes the broker, unless the stored one is not as it was read.
    ///
    /// - Parameters:
    ///   - former: the text that the change was made from; `nil` for none.
    ///   - text: the changed broker; `nil` removes it.
    /// - Returns: whether the change is durable; false changes nothing.
    /// - Throws: when the store cannot write.
    func changeBroker(from former: String?, to text: String?) async throws -> Bool
}
