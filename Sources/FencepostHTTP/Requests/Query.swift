import FencepostModel

/// The decoded parameters of a query or a form, in their order.
///
/// It takes both kinds of text by name: a generic initializer would not be specialized for callers in another module.
package struct Query: Sendable {
    package var items: [(name: String, value: String)] = []

    package init() {}

    /// Parses `a=1&b=2`; `nil` when the text is not percent-encoded UTF-8.
    package init?(_ text: String) { self.init(text[...]) }

    /// Parses `a=1&b=2`; `nil` when the text is not percent-encoded UTF-8.
    package init?(_ text: Substring) {
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = String(percentEncoded: pair[0], plusIsSpace: true),
                let value = String(percentEncoded: pair.count > 1 ? pair[1] : "", plusIsSpace: true)
            else { return nil }
            items.append((name, value))
        }
    }

    /// Names whose value is empty.
    package var emptyNames: [String] { items.filter(\.value.isEmpty).map(\.name) }

    /// The first value of a name; `nil` when it is missing or empty.
    package subscript(name: String) -> String? {
        items.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    package func all(_ name: String) -> [String] {
        items.filter { $0.name == name && !$0.value.isEmpty }.map(\.value)
    }
}
