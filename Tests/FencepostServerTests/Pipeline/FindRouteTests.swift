import FencepostHTTP
import HTTPTypes
import Testing

@testable import FencepostServer

@Suite("The stage that finds the route") struct FindRouteTests {
    private let stage = FindRoute(
        table: RouteTable([StageFixture.route(.get, "/things/{id}"), StageFixture.route(.post, "/things")]))

    @Test("gives the call what the path and the query say") func found() async {
        var exchange = StageFixture.exchange(.head, "/things/a%2Fb?x=1&y=%20#z")
        #expect(await StageFixture.refusal(stage, &exchange) == nil)
        #expect(exchange.route?.path == "/things/{id}" && exchange.call.method == .get)
        #expect(exchange.call.parameters == ["id": "a/b"] && exchange.call.path == "/things/a%2Fb")
        #expect(exchange.call.query["x"] == "1" && exchange.call.query["y"] == " ")
    }

    @Test("finds it by another path than the client's, which is that of answers") func otherPath() async {
        let request = StageFixture.exchange(.post, "/any?x=1").request
        var exchange = Exchange(
            request, path: "/things", client: "", connection: nil, channel: StageFixture.exchange().call.channel,
            requestIDs: RequestIDs(key: 1))
        #expect(await StageFixture.refusal(stage, &exchange) == nil)
        #expect(exchange.route?.path == "/things" && exchange.call.path == "/any" && exchange.call.query["x"] == "1")
    }

    @Test(
        "refuses what no route takes", arguments: [("/nothing", "not_found"), ("/things", "method_not_allowed")])
    func missing(path: String, code: String) async {
        var exchange = StageFixture.exchange(.get, path)
        #expect(await StageFixture.refusal(stage, &exchange) == code)
        #expect(exchange.route == nil)
    }

    @Test("refuses a query that is no text, and knows the route for the log") func query() async {
        var exchange = StageFixture.exchange(.get, "/things/a?x=%ff")
        #expect(await StageFixture.refusal(stage, &exchange) == "invalid_query")
        #expect(exchange.route?.path == "/things/{id}")
    }
}
