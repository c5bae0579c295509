import FencepostAppCommands
import FencepostFiles
import FencepostJSON
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

    /// As `request`, but `nil` for 404.
    func requestIfFound(_ method: String, _ path: String) async throws -> Response? {
        let found = try await send(method, path, [], nil)
        if found.status == 404 { return nil }
        guard found.status >= 300 else { return found }
        Console.say("fencepost: \(Self.problem(of: found))")
        throw Self.exitStatus(found.status).exit
    }

    /// A part of a path, percent-encoded.
    static func encoded(_ part: String) -> String {
        part.addingPercentEncoding(withAllowedCharacters: unreserved) ?? part
    }

    /// RFC 3986, section 2.3.
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    private func send(
        _ method: String, _ path: String, _ query: [(name: String, value: String?)], _ body: [UInt8]?
    ) async throws -> Response {
        let items = query.compactMap { item in item.value.map { "\(item.name)=\(Self.encoded($0))" } }
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
        // A large file takes long to send and to read.
        request.total = .seconds(1800)
        do throws(TransportFailure) {
            let response = try await HTTPClient.shared.response(to: request)
            return Response(status: response.status, body: response.body)
        } catch {
            Console.say("fencepost: \(name) does not respond: \(error)")
        }
        throw ExitStatus.unavailable.exit
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
