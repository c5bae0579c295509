import FencepostHTTP

/// Reads the body of a route that has one, and takes its content encoding off.
struct ReadBody: RequestStage {
    /// The most bytes, as they are sent: of most routes, and of those that take files.
    let limit, importLimit: Int

    nonisolated(nonsending) func handle(_ exchange: inout Exchange) async throws {
        guard exchange.route?.body != nil else { return }
        let isLarge = exchange.route?.body?.isLarge == true
        let own = exchange.route?.body?.limit
        let limit = own ?? (isLarge ? importLimit : self.limit)
        let inflatedLimit = own ?? (isLarge ? limit : 4 * limit)
        guard let held = exchange.held else {
            exchange.call.body = try await BodyReader.read(
                exchange.request, limit: limit, inflatedLimit: inflatedLimit)
            return
        }
        let isEncoded = try BodyReader.isEncoded(exchange.call.headers)
        guard held.count <= limit else { throw Problem.tooLarge(limit) }
        exchange.call.body = isEncoded ? try await BodyReader.decoded(held, limit: inflatedLimit) : held
    }
}
