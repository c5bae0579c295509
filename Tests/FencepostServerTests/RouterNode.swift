import FencepostServer
import FencepostTransport

/// The open ports of a cluster's node, to which a test sends requests.
protocol RouterNode: Sendable {
    var router: NodeRouter { get }
    var port: Int { get }
}

extension RouterNode {
    var url: String { "http://127.0.0.1:\(port)" }

    /// Sends a request; its body is JSON where the headers name no other type.
    func send(
        _ method: String, _ path: String, _ body: String? = nil, token: String? = nil,
        headers: [(name: String, value: String)] = []
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(method, url + path, body: body.map { Array($0.utf8) })
        if let token { request.headers.append(("Authorization", "Bearer \(token)")) }
        if body != nil, !headers.contains(where: { $0.name == "Content-Type" }) {
            request.headers.append(("Content-Type", "application/json"))
        }
        request.headers += headers
        return try await HTTPClient.shared.response(to: request)
    }
}
