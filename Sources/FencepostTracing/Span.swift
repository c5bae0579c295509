/// A part of a trace that has ended: what was done, when, and with which result.
public struct Span: Hashable, Sendable {
    /// Who acts in a span. The raw values are those of OTLP.
    public enum Kind: UInt64, Hashable, Sendable {
        /// Work inside the service.
        case `internal` = 1
        /// A request that was received.
        case server = 2
        /// A request that was sent.
        case client = 3
        /// A message that was stored, and is sent later.
        case producer = 4
    }

    /// The value of an attribute.
    public enum Value: Hashable, Sendable {
        case text(String)
        case number(Int)
        case flag(Bool)
    }

    /// A name with a value.
    public struct Attribute: Hashable, Sendable {
        /// A name of the semantic conventions, or one that begins with `fencepost.`.
        public let name: String
        /// The value.
        public let value: Value

        /// A text.
        public init(_ name: String, _ text: String) { (self.name, value) = (name, .text(text)) }
        /// A whole number.
        public init(_ name: String, _ number: Int) { (self.name, value) = (name, .number(number)) }
        /// A truth value.
        public init(_ name: String, _ flag: Bool) { (self.name, value) = (name, .flag(flag)) }
    }

    /// What happened during a span, at one moment.
    public struct Event: Hashable, Sendable {
        /// The kind of event.
        public var name: String
        /// When it happened.
        public var time: ContinuousClock.Instant
        /// What else is known about it.
        public var attributes: [Attribute]

        /// An event.
        public init(_ name: String, at time: ContinuousClock.Instant, _ attributes: [Attribute]) {
            (self.name, self.time, self.attributes) = (name, time, attributes)
        }
    }

    /// The largest number of events of a span, as in OpenTelemetry's own libraries.
    public static let eventLimit = 128

    /// Its trace and its id.
    public var context: TraceContext
    /// The id of the span that it is a part of; `nil` for the first one of a trace.
    public var parentID: UInt64?
    /// What was done. It has few values, so that spans can be grouped by it.
    public var name: String
    /// Who acts.
    public var kind: Kind
    /// When it began.
    public var start: ContinuousClock.Instant
    /// When it ended, not before `start`.
    public var end: ContinuousClock.Instant
    /// What is known about it.
    public var attributes: [Attribute] = []
    /// What happened during it; at most `eventLimit`.
    public var events: [Event] = []
    /// The number of events that were left out.
    public var droppedEvents = 0
    /// Spans of other traces, or other spans of this one, that it has to do with.
    public var links: [TraceContext] = []
    /// What failed, in a few words; `nil` after success.
    public var failure: String?

    /// A span without attributes. More than five parameters, because each of them is required.
    ///
    /// - Parameters:
    ///   - name: what was done.
    ///   - kind: who acts.
    ///   - context: its trace and its id.
    ///   - parentID: the id of the span that it is a part of; `nil` for the first one of a trace.
    ///   - start: when it began.
    ///   - end: when it ended.
    public init(
        _ name: String, _ kind: Kind, _ context: TraceContext, parentID: UInt64?, start: ContinuousClock.Instant,
        end: ContinuousClock.Instant
    ) {
        (self.name, self.kind, self.context, self.parentID) = (name, kind, context, parentID)
        (self.start, self.end) = (start, max(start, end))
    }
}
