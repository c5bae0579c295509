import FencepostService
import Foundation
import Testing

/// The places that name the kinds of endpoints without a `switch`, in which the compiler finds no gap.
@Suite("Each kind of endpoint") struct EndpointKindTests {
    private static func text(_ file: String) throws -> String {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
        return try String(contentsOf: package.appending(path: file), encoding: .utf8)
    }

    @Test("has a form on the page, with its texts", arguments: Endpoint.Kind.chosen) func page(kind: Endpoint.Kind)
        throws
    {
        let forms = try Self.text("Sources/FencepostPage/Web/webhooks/endpoint-kinds.js")
        #expect(forms.contains("\n  \(kind.rawValue): ["))
        let texts = try Self.text("Sources/FencepostPage/Web/english/webhooks.js")
        #expect(texts.contains("\n    \(kind.rawValue): {"))
    }

    @Test(
        "is in the reference, and in the page of brokers, or of messages if a person reads them",
        arguments: Endpoint.Kind.chosen)
    func reference(kind: Endpoint.Kind) throws {
        #expect(try Self.text("docs/reference/configuration.md").contains("`\(kind.rawValue)`"))
        if kind.isBroker { #expect(try Self.text("docs/brokers.md").contains("\n| `\(kind.rawValue)` |")) }
        if kind.isForPeople { #expect(try Self.text("docs/messages.md").contains("\n| `\(kind.rawValue)` |")) }
    }
}
