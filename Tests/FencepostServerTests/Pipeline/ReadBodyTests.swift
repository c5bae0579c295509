import FencepostHTTP
import HTTPTypes
import Testing

@testable import FencepostServer

@Suite("The stage that reads the body") struct ReadBodyTests {
    private let stage = ReadBody(limit: 8, importLimit: 16)
    private static let body = Route.Body(types: ["*/*"], schema: "{}")

    private func read(
        _ bytes: [UInt8], isHeld: Bool, by body: Route.Body? = body, encoding: String? = nil
    ) async -> (code: String?, body: [UInt8]) {
        var headers: HTTPFields = [:]
        headers[.contentEncoding] = encoding
        var exchange = StageFixture.exchange(
            .post, headers: headers, held: isHeld ? bytes : nil, sent: isHeld ? [] : bytes)
        exchange.route = StageFixture.route(.post, body: body)
        let code = await StageFixture.refusal(stage, &exchange)
        return (code, exchange.call.body)
    }

    @Test("reads it from the connection, or has it already", arguments: [true, false]) func plain(isHeld: Bool) async {
        let (few, more, most) = ([UInt8](repeating: 1, count: 8), [UInt8](repeating: 2, count: 9), [UInt8](0..<17))
        #expect(await read(few, isHeld: isHeld) == (nil, few))
        #expect(await read(more, isHeld: isHeld) == ("payload_too_large", []))
        var large = Self.body
        large.isLarge = true
        #expect(await read(more, isHeld: isHeld, by: large) == (nil, more))
        #expect(await read(most, isHeld: isHeld, by: large) == ("payload_too_large", []))
        var small = Self.body
        small.limit = 7
        #expect(await read(few, isHeld: isHeld, by: small) == ("payload_too_large", []))
        #expect(await read(few, isHeld: isHeld, by: nil) == (nil, []))
    }

    @Test("takes its encoding off, up to four times its size", arguments: [true, false]) func encoded(
        isHeld: Bool
    ) async throws {
        let large = ReadBody(limit: 64, importLimit: 64)
        for (count, code) in [(256, nil), (257, "payload_too_large")] {
            let zeros = [UInt8](repeating: 0, count: count)
            let bytes = try #require(Deflater.gzip(zeros))
            var exchange = StageFixture.exchange(
                .post, headers: [.contentEncoding: "gzip"], held: isHeld ? bytes : nil, sent: isHeld ? [] : bytes)
            exchange.route = StageFixture.route(.post, body: Self.body)
            #expect(await StageFixture.refusal(large, &exchange) == code)
            #expect(exchange.call.body == (code == nil ? zeros : []))
        }
        #expect(await read([1], isHeld: isHeld, encoding: "br").code == "unsupported_content_encoding")
        #expect(await read([1], isHeld: isHeld, encoding: "gzip").code == "invalid_encoding")
    }
}
