public import FencepostJSON

extension JSONWriter {
    /// Writes a source of a rule as an object.
    ///
    /// Members: `key`, `kind`, `title`, `publisher`, `version` and `address`. The last two are `null` where they are not
    /// known.
    public mutating func value(_ source: RuleSource) {
        beginObject()
        member("key", source.key)
        member("kind", source.kind.rawValue)
        member("title", source.title)
        member("publisher", source.publisher)
        member("version", source.version)
        member("address", source.address)
        endObject()
    }
}
