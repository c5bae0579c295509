/// A publication that one or more rules of Core Location rest on: a header, a talk, a reference page, a report.
///
/// A rule names its sources by key, such as `W19`. `RuleSource["W19"]` finds the source, and `Rule.references` resolves
/// all keys of a rule. `docs/core-location/sources.md` lists the same table.
public struct RuleSource: Hashable, Sendable {
    /// What a source is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A header of Apple's SDK.
        case header
        /// A session of Apple's developer conference.
        case talk
        /// A page of Apple's documentation.
        case documentation
        /// An answer on Apple's developer forums, or of Apple's developer support.
        case forum
        /// An article, a guide or a README of somebody other than Apple.
        case article
        /// An issue, a pull request or source code of a public project.
        case project
        /// A program's help text.
        case tool
        /// Another rule, from which this one follows.
        case rule
    }

    /// The key by which rules name the source. Unique, compared case-sensitively.
    public let key: String
    /// What the source is.
    public let kind: Kind
    /// The title, or a short description where the source has none.
    public let title: String
    /// The publisher, or the public project as `owner/repository`.
    public let publisher: String
    /// The SDK, the year or the release that was read; `nil` for a page without a version.
    public let version: String?
    /// An `https` address; `nil` where the source is not on the web or its address is not known.
    public let address: String?

    /// The parameters are many because they are the columns of the table.
    init(
        _ key: String, _ kind: Kind, _ title: String, by publisher: String, version: String? = nil,
        at address: String? = nil
    ) {
        self.key = key
        self.kind = kind
        self.title = title
        self.publisher = publisher
        self.version = version
        self.address = address
    }

    /// A rule as the source of another rule.
    init(_ rule: Rule) {
        self.init(rule.id.rawValue, .rule, rule.text, by: "Fencepost")
    }

    private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

    /// Finds the source of a key; `nil` for a key that is neither in the table nor the id of a rule.
    public static subscript(key: String) -> RuleSource? {
        byKey[key] ?? RuleID(rawValue: key).map { RuleSource(Rule[$0]) }
    }
}

extension Rule {
    /// The sources of the rule, resolved, in the order of their keys in `sources`.
    ///
    /// Every key of the table resolves; a test checks it.
    public var references: [RuleSource] { sources.compactMap { RuleSource[$0] } }
}
