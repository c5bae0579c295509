/// The two reference pages that are generated from the tables of rules and sources, in Markdown.
///
/// They stand in `docs/core-location/`. `make rules-doc` writes them, and a test fails when a page differs from its
/// table.
public enum RulePages {
    /// `rules.md`: every rule with an anchor, its confidence and links to its sources.
    public static var rules: String {
        var lines = [
            "# The rules",
            "",
            "Reference: every rule of Core Location that Fencepost knows. `make rules-doc` generates this page from the table",
            "of rules. The anchor of a rule is its id in lower case: `rules.md#relaunch-04`. `fencepost rules RELAUNCH-04",
            "VISIT` prints single rules and families. A rule without a system applies to all systems.",
            "",
            "The column *known* says how the rule is known. *Documented* means: by Apple's documentation or a header. *Staff*:",
            "by an Apple engineer. *Observed*: by developers. *Inferred*: from other rules. *Disputed*: the sources disagree,",
            "and [disputes.md](disputes.md) gives the answer that Fencepost uses. A percentage is the estimated probability",
            "that the answer is right. [sources.md](sources.md) lists the sources.",
        ]
        var family = ""
        for rule in Rule.all {
            let ruleFamily = rule.id.rawValue.prefix { $0 != "-" }
            if ruleFamily != family {
                family = String(ruleFamily)
                lines += ["", "## \(familyTitles[family] ?? family)", ""]
                lines += ["| id | systems | known | rule | sources |", "|---|---|---|---|---|"]
            }
            lines.append(row(of: rule))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// `sources.md`: every source with an anchor, title, publisher, version and address.
    public static var sources: String {
        var lines = [
            "# The sources of the rules",
            "",
            "Reference: the publications that the [rules](rules.md) rest on. `make rules-doc` generates this page from the",
            "table of sources. The anchor of a source is its key in lower case: `sources.md#w19`. `fencepost rules --sources`",
            "prints the same table. A source without an address is not on the web, or its address is not known.",
        ]
        for kind in RuleSource.Kind.allCases {
            let group = RuleSource.all.filter { $0.kind == kind }
            guard !group.isEmpty else { continue }
            lines += ["", "## \(title(of: kind))", ""]
            lines += ["| key | title | publisher | version or date | address |", "|---|---|---|---|---|"]
            lines += group.map { source in
                cells([
                    "\(anchor(source.key))\(source.key)", escaped(source.title), escaped(source.publisher),
                    escaped(source.version ?? ""), source.address.map { "<\($0)>" } ?? "",
                ])
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The heading of each family of rules, by the first part of its ids.
    private static let familyTitles = [
        "PLAT": "Platforms, and what counts as use",
        "AUTH": "Requests for authorization",
        "PROV": "Provisional Always",
        "ONCE": "Allow Once",
        "SET": "Settings",
        "CB": "Callbacks",
        "ACC": "Accuracy",
        "SVC": "Services",
        "RELAUNCH": "Wake-up and relaunch",
        "PLIST": "Info.plist and entitlements",
        "REGION": "Regions",
        "VISIT": "Visits",
        "SLC": "Significant changes",
        "MON": "Monitors",
        "LIVE": "Live updates",
        "SESS": "Sessions",
        "PUSH": "Location pushes",
        "ABSTR": "The authorization manager",
        "TOOL": "The tools of the device simulator",
        "DISPUTE": "Disputes",
    ]

    private static func title(of kind: RuleSource.Kind) -> String {
        switch kind {
        case .header: "Headers of the SDK"
        case .talk: "Sessions of Apple's developer conference"
        case .documentation: "Apple's documentation"
        case .forum: "Answers of Apple's engineers and support"
        case .article: "Articles of developers"
        case .project: "Public projects"
        case .tool: "Tools"
        case .rule: "Rules"
        }
    }

    private static func row(of rule: Rule) -> String {
        let references = rule.references.map { source in
            source.kind == .rule
                ? "[\(source.key)](#\(source.key.lowercased()))"
                : "[\(source.key)](sources.md#\(source.key.lowercased()))"
        }
        return cells([
            "\(anchor(rule.id.rawValue))\(rule.id.rawValue)", escaped(rule.scope),
            rule.confidences.map(\.rawValue).joined(separator: ", ") + (rule.likelihood.map { " (\($0))" } ?? ""),
            escaped(rule.text),
            references.joined(separator: ", "),
        ])
    }

    private static func anchor(_ name: String) -> String { "<a id=\"\(name.lowercased())\"></a>" }

    /// Text for a cell, in which a bar would end the cell.
    private static func escaped(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }

    private static func cells(_ texts: [String]) -> String { "| " + texts.joined(separator: " | ") + " |" }
}
