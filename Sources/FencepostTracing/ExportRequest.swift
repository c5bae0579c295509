/// The body of a request that sends spans: an `ExportTraceServiceRequest` of OTLP 1.
///
/// The numbers of fields are those of `opentelemetry/proto/trace/v1/trace.proto` and its neighbours.
public struct ExportRequest: Sendable {
    /// What sends the spans, such as `service.name`.
    public var resource: [Span.Attribute]
    /// The version of the program.
    public var version: String
    /// Turns the moments of spans into nanoseconds since 1970.
    public var unixTime: @Sendable (ContinuousClock.Instant) -> UInt64

    /// What is the same in all requests.
    public init(
        resource: [Span.Attribute], version: String, unixTime: @escaping @Sendable (ContinuousClock.Instant) -> UInt64
    ) {
        (self.resource, self.version, self.unixTime) = (resource, version, unixTime)
    }

    /// The body with these spans.
    public func bytes(_ spans: [Span]) -> [UInt8] {
        var writer = ProtobufWriter(capacity: 512 * (spans.count + 1))
        writer.message(1) { spansOfResource in
            spansOfResource.message(1) { Self.write(resource, 1, &$0) }
            spansOfResource.message(2) { spansOfScope in
                spansOfScope.message(1) { scope in
                    scope.text(1, "fencepost")
                    scope.text(2, version)
                }
                for span in spans { spansOfScope.message(2) { write(span, &$0) } }
            }
        }
        return writer.bytes
    }

    private func write(_ span: Span, _ writer: inout ProtobufWriter) {
        writer.identifier(1, span.context.traceID.high, span.context.traceID.low)
        writer.identifier(2, span.context.spanID)
        if let parent = span.parentID { writer.identifier(4, parent) }
        writer.text(5, span.name)
        writer.number(6, span.kind.rawValue)
        writer.fixed(7, unixTime(span.start))
        writer.fixed(8, unixTime(span.end))
        Self.write(span.attributes, 9, &writer)
        for event in span.events {
            writer.message(11) { inner in
                inner.fixed(1, unixTime(event.time))
                inner.text(2, event.name)
                Self.write(event.attributes, 3, &inner)
            }
        }
        if span.droppedEvents > 0 { writer.number(12, UInt64(span.droppedEvents)) }
        for link in span.links {
            writer.message(13) { inner in
                inner.identifier(1, link.traceID.high, link.traceID.low)
                inner.identifier(2, link.spanID)
            }
        }
        if let failure = span.failure {
            writer.message(15) { inner in
                inner.text(2, failure)
                // STATUS_CODE_ERROR
                inner.number(3, 2)
            }
        }
    }

    private static func write(_ attributes: [Span.Attribute], _ field: UInt64, _ writer: inout ProtobufWriter) {
        for attribute in attributes {
            writer.message(field) { pair in
                pair.text(1, attribute.name)
                pair.message(2) { value in
                    switch attribute.value {
                    case .text(let text): value.text(1, text)
                    case .flag(let flag): value.number(2, flag ? 1 : 0)
                    case .number(let number): value.number(3, UInt64(bitPattern: Int64(number)))
                    }
                }
            }
        }
    }
}
