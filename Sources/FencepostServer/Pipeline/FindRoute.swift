import FencepostHTTP
import Hummingbird

/// Finds the route by method and path, and decodes the query.
struct FindRoute: RequestStage {
    let table: RouteTable

    func handle(_ exchange: inout Exchange) throws {
        let (route, parameters) = try table.find(exchange.request.method, exchange.path)
        exchange.route = route
        guard let query = Query(exchange.query.prefix { $0 != "#" }) else { throw Problem.invalidQuery }
        (exchange.call.method, exchange.call.parameters, exchange.call.query) = (route.method, parameters, query)
    }
}
