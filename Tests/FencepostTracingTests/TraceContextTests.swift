import FencepostTracing
import Testing

@Suite("The context of a trace") struct TraceContextTests {
    private static let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("is read from a header, and written as it was") func roundTrip() throws {
        let context = try #require(TraceContext(traceparent: Self.text))
        #expect(context.traceID == (0x4bf9_2f35_77b3_4da6, 0xa3ce_929d_0e0e_4736))
        #expect(context.spanID == 0x00f0_67aa_0ba9_02b7 && context.isSampled)
        #expect(context.traceparent == Self.text)
        #expect(context.traceIDText == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.child(1).traceparent == "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000001-01")
    }

    @Test("has the decision of the lowest bit of the flags", arguments: [("00", false), ("02", false), ("ff", true)])
    func flags(flags: String, isSampled: Bool) throws {
        let context = try #require(TraceContext(traceparent: String(Self.text.dropLast(2)) + flags))
        #expect(context.isSampled == isSampled)
    }

    @Test("of another version is that of version 00") func version() throws {
        let context = try #require(TraceContext(traceparent: "cc" + Self.text.dropFirst(2)))
        #expect(context.traceparent == Self.text)
    }

    @Test(
        "does not exist where the header is invalid",
        arguments: [
            "", "00", String(text.dropLast()), text + "-00", text.uppercased(), "ff" + text.dropFirst(2),
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", text.replacing("-", with: "_"),
            text.replacing("4bf9", with: "4bé"), text.replacing("-01", with: "-0g"),
        ])
    func invalid(text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }
}
