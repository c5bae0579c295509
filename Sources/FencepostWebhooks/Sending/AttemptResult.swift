import FencepostModel
public import FencepostService

/// The result of one delivery attempt.
public struct AttemptResult: Hashable, Sendable {
    /// What the receiver asks for with the header `webhook-delivery` (rule W5).
    public enum Instruction: String, Hashable, Sendable {
        /// Do not send this message again.
        case abortMessage = "abort-message"
        /// Send no more messages: disable the endpoint.
        case disable
    }

    /// HTTP status; `nil` when no response arrived.
    public var status: Int?
    /// `nil` when the receiver accepted the message.
    public var failure: DeliveryAttempt.Failure?
    /// First characters of the response's body, control characters replaced by spaces; `nil` when it has none.
    public var excerpt: String?
    /// Delay that the receiver asked for with `Retry-After`.
    public var retryAfter: Duration?
    /// The value of the header `webhook-delivery`.
    public var instruction: Instruction?
    /// Time from the name look-up to the end of the response.
    public var duration: Duration

    /// Whether the receiver works, and has something against this message.
    var refusesMessage: Bool {
        instruction == .abortMessage || status.map { [400, 413, 415, 422].contains($0) } ?? false
    }

    /// More than five parameters, because the initializer has one per property.
    public init(
        status: Int? = nil, failure: DeliveryAttempt.Failure? = nil, excerpt: String? = nil,
        retryAfter: Duration? = nil, instruction: Instruction? = nil, duration: Duration = .zero
    ) {
        self.status = status
        self.failure = failure
        self.excerpt = excerpt
        self.retryAfter = retryAfter
        self.instruction = instruction
        self.duration = duration
    }
}
