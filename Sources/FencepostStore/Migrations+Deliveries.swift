extension Migrations {
    /// Fewer indexes of deliveries, each entry of which changed another page.
    ///
    /// Lists by endpoint or status go along the index of both, status by status or endpoint by endpoint. Those by event go by its
    /// time, since its new entries are next to each other.
    static let deliveryIndexes = """
        DROP INDEX delivery_by_endpoint;
        DROP INDEX delivery_by_status;
        DROP INDEX delivery_by_event;
        CREATE INDEX delivery_by_event ON delivery(event_timestamp, event_id);
        """

    /// The event up to which all messages of an endpoint have rows (`DirectMessage`); NULL for all events.
    static let directMessages = "ALTER TABLE endpoint ADD COLUMN written_through INTEGER;"
}
