package import HTTPTypes

extension HTTPField.Name {
    /// The name of a field, as it stands in the source.
    ///
    /// - Precondition: it is a token of RFC 9110.
    package init(literal name: String) {
        guard let parsed = Self(name) else { preconditionFailure("\(name) cannot be the name of a header field") }
        self = parsed
    }
}
