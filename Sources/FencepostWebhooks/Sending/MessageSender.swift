/// Sends messages to webhook endpoints.
public protocol MessageSender: Sendable {
    /// Makes one attempt. It ends early when the task is cancelled.
    ///
    /// - Returns: also errors are results.
    func send(_ request: WebhookRequest) async -> AttemptResult
    /// Closes idle connections now, and the others when their attempt has ended.
    func shutdown() async
}
