import FencepostTracing

/// The way of a request: the stages, in their order.
///
/// The API of a server and a node that decodes for others have the same one. They differ in three stages: the first
/// identifies the caller, the second runs the route, the third answers what does not succeed, or leaves it to the leader.
struct RequestPipeline: Sendable {
    let stages: [any RequestStage]

    /// - Parameters:
    ///   - table: the routes.
    ///   - identify: finds out who sends a request.
    ///   - limit: the rates of requests.
    ///   - read: the sizes of bodies.
    ///   - run: performs the route.
    ///   - answer: completes the response, or makes that of a failure.
    ///   - record: writes the log and counts.
    ///   - tracer: records traces of requests that take locations; `nil` for none.
    ///
    /// More than five parameters, because each is a stage.
    init(
        _ table: RouteTable, identify: any RequestStage, limit: LimitRate, read: ReadBody, run: any RequestStage,
        answer: AnswerRequest, record: RecordRequest, tracer: Tracer? = nil
    ) {
        func trace(_ part: TraceRequest.Part) -> [any RequestStage] {
            tracer.map { [TraceRequest(part: part, tracer: $0)] } ?? []
        }
        let admission: [any RequestStage] = [identify, limit, CheckRequest(), read]
        stages =
            [FindRoute(table: table)] + trace(.begin) + admission + trace(.decode) + [run, answer, record]
            + trace(.end)
    }

    /// Takes a request through the stages. After a failure only those follow that take one.
    nonisolated(nonsending) func handle(_ exchange: inout Exchange) async {
        for stage in stages where exchange.failure == nil || stage.takesFailures {
            do {
                try await stage.handle(&exchange)
            } catch {
                exchange.failure = error
            }
        }
    }
}
