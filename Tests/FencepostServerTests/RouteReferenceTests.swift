import FencepostModel
import FencepostService
import Foundation
import HTTPTypes
import Testing

@testable import FencepostServer

/// The page that lists the routes. It shows who may use each, so that a review sees a change of it.
@Suite("The list of routes") struct RouteReferenceTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../docs/reference/routes.md").standardized

    @Test("is written from their declarations") func page() throws {
        let text = Self.text(API.outline.routes)
        if ProcessInfo.processInfo.environment["FENCEPOST_REWRITE"] != nil {
            try text.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let page = try String(contentsOf: Self.file, encoding: .utf8)
        #expect(page == text, "FENCEPOST_REWRITE=1 make test FILTER=RouteReferenceTests writes it")
    }

    private static func text(_ routes: [Route]) -> String {
        var lines = [
            "# Routes", "",
            "Reference: each route of the [HTTP API](http-api.md), by subject. A test writes this page from",
            "their declarations: `FENCEPOST_REWRITE=1 make test FILTER=RouteReferenceTests`. Terms are in the",
            "[glossary](../glossary.md).", "",
            "*Access*: the scope of a token, or of the role of a user who has signed in; `open` for everybody, `caller` for",
            "everybody with a token or a session, `share` for the secret of a share link. With `all devices`, tokens that are bound to",
            "a device are refused, and users who see only some devices. *Cluster*: who answers in a cluster of several",
            "[partitions](../design/partitions.md): the configuration, the device's partition, or several of them, merged.",
        ]
        var tags: [String] = []
        for route in routes where !tags.contains(route.tag) { tags.append(route.tag) }
        for tag in tags {
            lines += ["", "## \(tag)", "", "| route | what it does | access | cluster |", "|---|---|---|---|"]
            lines += routes.filter { $0.tag == tag }.map {
                "| `\($0.title)` | \($0.summary) | \(access(of: $0)) | \(cluster($0.partition)) |"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func access(of route: Route) -> String {
        let scope =
            switch route.access {
            case .open: "open"
            case .caller: "caller"
            case .share: "share"
            case .scope(let scope): scope.rawValue
            case .unbound(let scope): "\(scope.rawValue), all devices"
            case .ticket(let scope): "\(scope.rawValue), or a ticket"
            }
        switch route.credentials {
        case .bearer: return scope
        case .basic: return scope + "; HTTP Basic too"
        case .basicOrQuery: return scope + "; HTTP Basic and `?token=` too"
        }
    }

    private static func cluster(_ rule: PartitionRule) -> String {
        switch rule {
        case .configuration: "configuration"
        case .device: "the device's partition"
        case .divided: "divided by device"
        case .file: "all partitions, each its devices"
        case .node: "the node that is asked"
        case .pages, .list, .trips, .visits, .presences, .rounds, .summaries, .imports, .import:
            "all partitions, merged"
        case .stream: "all partitions, merged as they come"
        case .shared: "the devices' partitions"
        case .oneHasIt: "the partition that has it"
        case .sum: "all partitions, added up"
        case .endpointHealth: "all partitions, added up"
        case .endpoints, .endpoint, .tokens, .token: "configuration, with the state in all partitions"
        case .boundDevice, .suggestions: "the partition of the device that is named"
        case .regionFromSuggestion: "the device's partition, then the configuration"
        }
    }
}
