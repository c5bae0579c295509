import FencepostHTTP
import HTTPTypes
import Testing

@testable import FencepostServer

@Suite("The stage that checks a request") struct CheckRequestTests {
    private static func refusal(_ query: String, type: String? = nil, isStrict: Bool = true) async -> String? {
        var headers: HTTPFields = [:]
        headers[.contentType] = type
        var exchange = StageFixture.exchange(.post, "/things", headers: headers)
        exchange.call.query = Query(query) ?? Query()
        var route = StageFixture.route(
            .post, parameters: [.limit, .id("thing")],
            body: Route.Body(types: ["application/json"], mislabeledTypes: ["text/plain"], schema: "{}"))
        route.rejectsOtherParameters = isStrict
        exchange.route = route
        return await StageFixture.refusal(CheckRequest(), &exchange)
    }

    @Test("refuses parameters that the route does not have, and empty ones") func names() async {
        #expect(await Self.refusal("limit=1") == nil)
        #expect(await Self.refusal("limit=1&other=2") == "unknown_parameter")
        // A parameter of the path is none of the query.
        #expect(await Self.refusal("id=1") == "unknown_parameter")
        #expect(await Self.refusal("limit=") == "empty_parameter")
        #expect(await Self.refusal("limit=5&limit=6") == "repeated_parameter")
        #expect(await Self.refusal("other=", isStrict: false) == nil)
    }

    @Test("refuses media types that the route does not take, whatever their case and parameters") func types() async {
        for type in ["application/json", "Application/JSON; charset=utf-8", "text/plain"] {
            #expect(await Self.refusal("", type: type) == nil, "\(type)")
        }
        #expect(await Self.refusal("", type: "image/png") == "unsupported_media_type")
    }
}
