import FencepostAppCommands
import FencepostFiles
import FencepostJSON
import FencepostModel
import FencepostTransport
import Foundation

/// The HTTP API of a running service, as commands use it: over its local socket, or at a URL with a token.
struct ServiceConnection: Sendable {
    /// Where the service listens.
    private enum Address: Sendable {
        case socket(String)
        case url(String, token: String)
    }

    /// A response below 300.
    struct Response {
        let status: Int
        let body: [UInt8]

        /// The parsed body.
        func json() throws -> JSONElement {
            do throws(JSONSyntaxError) {
                return try JSONDocument(parsing: body).root
            } catch {
                Console.say("fencepost: the response is not JSON; does a Fencepost service listen there?")
                throw ExitStatus.unavailable.exit
            }
        }
    }

    private let address: Address

    /// The service that listens on a local socket.
    init(socket path: String) {
        address = .socket(path)
    }

    /// The service at a URL such as `http://127.0.0.1:8080`.
    init(url: String, token: String) {
        address = .url(url.hasSuffix("/") ? String(url.dropLast()) : url, token: token)
    }

    /// Sends a request. Prints the problem and ends the command when the service refuses it or does not respond.
    ///
    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - path: the path, percent-encoded.
    ///   - query: parameters, not encoded.
    ///   - body: the body; `nil` for none.
    ///   - subject: what the request is about, for the message of a refusal: a file or a token.
    /// - Returns: a response below 300.
    /// - Throws: an exit code.
    func request(
        _ method: String, _ path: String, query: [(name: String, value: String?)] = [], body: [UInt8]? = nil,
        about subject: String? = nil
    ) async throws -> Response {
        let found = try await send(method, path, query, body)
        guard found.status >= 300 else { return found }
        Console.say("fencepost: \(subject.map { "\($0): " } ?? "")\(Self.problem(of: found))")
        throw Self.exitStatus(found.status).exit
    }

    /// Why a message was not answered.
    struct Unanswered: Error, CustomStringConvertible {
        /// What happened, for people.
        let description: String
    }

    /// Sends a message on, and goes on whatever happens.
    ///
    /// - Returns: the body of the answer, empty where there is none, or why there is no answer.
    func relay(_ message: [UInt8], to path: String) async -> Result<[UInt8], Unanswered> {
        switch await perform("POST", path, [], message, within: .seconds(120)) {
        case .failure(let failure): return .failure(failure)
        case .success(let found):
            if found.status == 202 { return .success([]) }
            let answer = try? JSONDocument(parsing: found.body).root
            return answer?["jsonrpc"] != nil && !found.body.contains(UInt8(ascii: "\n"))
                ? .success(found.body) : .failure(Unanswered(description: Self.problem(of: found)))
        }
    }

    /// As `request`, but `nil` for 404.
    func requestIfFound(_ method: String, _ path: String) async throws -> Response? {
        let found = try await send(method, path, [], nil)
        if found.status == 404 { return nil }
        guard found.status >= 300 else { return found }
        Console.say("fencepost: \(Self.problem(of: found))")
        throw Self.exitStatus(found.status).exit
    }

    private func send(
        _ method: String, _ path: String, _ query: [(name: String, value: String?)], _ body: [UInt8]?
    ) async throws -> Response {
        // A large file takes long to send and to read.
        switch await perform(method, path, query, body, within: .seconds(1800)) {
        case .success(let response): return response
        case .failure(let failure): Console.say("fencepost: \(failure)")
        }
        throw ExitStatus.unavailable.exit
    }

    private func perform(
        _ method: String, _ path: String, _ query: [(name: String, value: String?)], _ body: [UInt8]?,
        within time: Duration
    ) async -> Result<Response, Unanswered> {
        let items = query.compactMap { item in item.value.map { "\(item.name)=\($0.percentEncoded)" } }
        let target = path + (items.isEmpty ? "" : "?\(items.joined(separator: "&"))")
        var request: HTTPClientRequest
        let name: String
        switch address {
        case .socket(let path):
            request = HTTPClientRequest(method, "http://localhost" + target, body: body)
            request.route = .socket(path)
            name = "the service at \(path)"
        case .url(let base, let token):
            request = HTTPClientRequest(method, base + target, body: body)
            request.setHeader("Authorization", "Bearer \(token)")
            name = base
        }
        if body != nil {
            let isFile = path == "/v1/imports"
            request.setHeader("Content-Type", isFile ? "application/octet-stream" : "application/json")
        }
        request.total = time
        do throws(TransportFailure) {
            let response = try await HTTPClient.shared.response(to: request)
            return .success(Response(status: response.status, body: response.body))
        } catch {
            return .failure(Unanswered(description: "\(name) does not respond: \(error)"))
        }
    }

    /// The detail of a problem (RFC 9457) and its faults, for people.
    private static func problem(of response: Response) -> String {
        guard let root = try? JSONDocument(parsing: response.body).root, let detail = root["detail"]?.string else {
            return "the service answers \(response.status)"
        }
        let faults = (root["errors"]?.array.map(Array.init) ?? []).compactMap { fault -> String? in
            guard let text = fault["detail"]?.string, text != detail else { return nil }
            return [fault["pointer"]?.string ?? fault["parameter"]?.string, text].compactMap { $0 }
                .joined(separator: ": ")
        }
        return ([detail] + faults).joined(separator: "\n  ")
    }

    private static func exitStatus(_ status: Int) -> ExitStatus {
        switch status {
        case 401, 403: .noPermission
        case 404: .noInput
        case 408, 429, 503, 507: .tryAgain
        case 400..<500: .badData
        default: .unavailable
        }
    }
}
