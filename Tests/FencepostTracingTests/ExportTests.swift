import FencepostTracing
import Testing

@Suite("The messages of OTLP") struct ExportTests {
    /// The bytes of a request, as opentelemetry-proto 1.45.2 writes them for the same values.
    @Test("have a span with all that it can have") func request() throws {
        let base = ContinuousClock.now
        let context = try #require(TraceContext(traceparent: "00-000102030405060708090a0b0c0d0e0f-1011121314151617-01"))
        var span = Span("a", .client, context, parentID: 0x1819_1a1b_1c1d_1e1f, start: base, end: base)
        span.attributes = [Span.Attribute("t", "x"), Span.Attribute("n", -1), Span.Attribute("f", false)]
        span.events = [Span.Event("e", at: base, [Span.Attribute("n", 300)])]
        span.droppedEvents = 2
        span.links = [context.child(1)]
        span.failure = "z"
        let request = ExportRequest(resource: [Span.Attribute("r", "s")], version: "1") { _ in 0x0102_0304_0506_0708 }
        let expected =
            "0ac301 0a0a 0a08 0a0172 1203 0a0173"
            + "12b401 0a0e 0a09 66656e6365706f7374 120131"
            + "12a101 0a10 000102030405060708090a0b0c0d0e0f 1208 1011121314151617 2208 18191a1b1c1d1e1f"
            + "2a0161 3003 39 0807060504030201 41 0807060504030201"
            + "4a08 0a0174 1203 0a0178 4a10 0a016e 120b 18ffffffffffffffffff01 4a07 0a0166 1202 1000"
            + "5a16 09 0807060504030201 120165 1a08 0a016e 1203 18ac02"
            + "6002"
            + "6a1c 0a10 000102030405060708090a0b0c0d0e0f 1208 0000000000000001 7a05 12017a 1802"
        #expect(
            request.bytes([span]).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                == expected.filter { $0 != " " })
    }

    @Test("are read as far as the receiver's answer is in the format")
    func response() {
        let partial: [UInt8] = [0x0a, 0x07, 0x08, 0xac, 0x02, 0x12, 0x02, 0x6e, 0x6f]
        #expect(ExportResponse(partial).rejectedSpans == 300 && ExportResponse(partial).message == "no")
        for count in 0..<partial.count { #expect(ExportResponse(Array(partial.prefix(count))).rejectedSpans == 0) }
        for text in ["", "{}", "<html>", String(repeating: "\u{ff}", count: 30)] {
            #expect(ExportResponse(Array(text.utf8)).rejectedSpans == 0)
        }
    }
}
