import FencepostHTTP
import FencepostJSON
import HTTPTypes
import Hummingbird

/// Answers messages of the Model Context Protocol, with tools that read: JSON-RPC 2.0, without a session.
struct ModelContext: Sendable {
    /// The revision without a handshake, in which each message names it.
    static let revisionOfMessages = "2026-07-28"
    /// Revisions that begin with `initialize`, the newest first.
    private static let revisionsOfHandshake = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    /// All revisions of the protocol that are spoken.
    static let revisions = [revisionOfMessages] + revisionsOfHandshake
    private static let revisionKey = "io.modelcontextprotocol/protocolVersion"
    /// How long a client may keep what is the same for everybody, in milliseconds.
    private static let lifetime = 3_600_000

    /// What a language model reads before it uses the tools.
    private static let instructions = """
        Fencepost watches places: it knows devices, regions (geofences), visits, trips and events. Times are RFC 3339 in \
        UTC, lengths metres, coordinates longitude and latitude in GeoJSON. Lists have pages: pass nextCursor as cursor. \
        Names of devices and regions differ from their ids: list them first.
        """

    /// The codes of JSON-RPC.
    private enum Code: Int {
        case parse = -32_700
        case request = -32_600
        case method = -32_601
        case parameters = -32_602
        case revision = -32_022
    }

    let version: String
    /// The revision that the header of the request names; `nil` without one.
    let revision: String?
    /// Answers a request of a tool: status and body.
    let ask: @Sendable (Route, String, [UInt8]?) async throws -> (status: HTTPResponse.Status, body: [UInt8])

    /// The answer to a message.
    ///
    /// - Parameter body: the message.
    /// - Returns: 202 for a message that wants no answer, 400 for what is not a message.
    /// - Throws: when a tool cannot be asked at all.
    func response(to body: [UInt8]) async throws -> RouteResponse {
        guard let document = try? JSONDocument(parsing: body) else {
            return Self.failure(nil, .parse, "The message is not valid JSON.", .badRequest)
        }
        let message = document.root
        guard message.object != nil, message["jsonrpc"]?.string == "2.0" else {
            return Self.failure(nil, .request, "The message has to be one object of JSON-RPC 2.0.", .badRequest)
        }
        guard let method = message["method"]?.string else {
            // An answer to a question, of which this server asks none.
            if message["result"] != nil || message["error"] != nil { return RouteResponse(.accepted) }
            return Self.failure(nil, .request, "The message has no method.", .badRequest)
        }
        guard let id = message["id"] else { return RouteResponse(.accepted) }
        guard id.string != nil || id.double != nil else {
            return Self.failure(nil, .request, "The id has to be a text or a number.", .badRequest)
        }
        let parameters = message["params"]
        let named = parameters?["_meta"]?[Self.revisionKey]?.string
        for wanted in [revision, named].compactMap({ $0 }) where !Self.revisions.contains(wanted) {
            return Self.unknownRevision(wanted, id)
        }
        return try await answer(method, parameters, Reply(id: id, isOfMessages: named == Self.revisionOfMessages))
    }

    private func answer(_ method: String, _ parameters: JSONElement?, _ reply: Reply) async throws -> RouteResponse {
        switch method {
        case "initialize": return reply.success { initialize(parameters, &$0) }
        case "server/discover": return reply.success(lasts: true) { discover(&$0) }
        case "ping": return reply.success { _ in }
        case "tools/list":
            return reply.success(lasts: true) { writer in
                writer.name("tools")
                writer.beginArray()
                for tool in ModelTool.all { tool.write(to: &writer) }
                writer.endArray()
            }
        case "tools/call":
            let name = parameters?["name"]?.string ?? ""
            guard let tool = ModelTool.all.first(where: { $0.name == name }) else {
                return Self.failure(reply.id, .parameters, "There is no tool \"\(name)\": tools/list has all.")
            }
            return try await call(tool, parameters?["arguments"], reply)
        default: return Self.failure(reply.id, .method, "There is no method \"\(method)\".")
        }
    }

    private func initialize(_ parameters: JSONElement?, _ writer: inout JSONWriter) {
        let wanted = parameters?["protocolVersion"]?.string
        let known = Self.revisionsOfHandshake
        writer.member("protocolVersion", known.first { $0 == wanted } ?? known[0])
        describe(&writer)
    }

    private func discover(_ writer: inout JSONWriter) {
        writer.list("supportedVersions", Self.revisions)
        describe(&writer)
    }

    private func describe(_ writer: inout JSONWriter) {
        writer.member("capabilities", raw: #"{"tools":{}}"#)
        writer.name("serverInfo")
        writer.beginObject()
        writer.member("name", "fencepost")
        writer.member("title", "Fencepost")
        writer.member("version", version)
        writer.endObject()
        writer.member("instructions", Self.instructions)
    }

    /// Calls a tool. What is wrong with its arguments is for the model, which can mend it.
    private func call(
        _ tool: ModelTool, _ arguments: JSONElement?, _ reply: Reply
    ) async throws -> RouteResponse {
        let (target, content): (String, [UInt8]?)
        do throws(ModelTool.Mismatch) {
            (target, content) = try tool.request(arguments)
        } catch {
            return reply.result("The call is wrong: \(error.text).", nil, isError: true)
        }
        let (status, body) = try await ask(tool.route, target, content)
        let text = String(decoding: body, as: UTF8.self)
        guard status.kind == .successful else { return reply.result(text, nil, isError: true) }
        return reply.result(text, body, isError: false)
    }

    // MARK: JSON-RPC

    /// How a message is answered.
    private struct Reply {
        let id: JSONElement
        /// Whether the message is of the revision in which each names it.
        let isOfMessages: Bool

        /// A result.
        ///
        /// - Parameters:
        ///   - lasts: whether the answer is the same for everybody, for some time.
        ///   - write: writes the members of the result.
        /// - Returns: the response with it.
        func success(lasts: Bool = false, _ write: (inout JSONWriter) -> Void) -> RouteResponse {
            RouteResponse { writer in
                ModelContext.begin(id, &writer)
                writer.name("result")
                writer.beginObject()
                if isOfMessages {
                    writer.member("resultType", "complete")
                    if lasts {
                        writer.member("ttlMs", ModelContext.lifetime)
                        writer.member("cacheScope", "public")
                    }
                }
                write(&writer)
                writer.endObject()
                writer.endObject()
            }
        }

        /// The result of a tool, as text and as values.
        func result(_ text: String, _ structure: [UInt8]?, isError: Bool) -> RouteResponse {
            success { writer in
                writer.name("content")
                writer.beginArray()
                writer.beginObject()
                writer.member("type", "text")
                writer.member("text", text)
                writer.endObject()
                writer.endArray()
                if let structure {
                    writer.member("structuredContent", raw: String(decoding: structure, as: UTF8.self))
                }
                writer.member("isError", isError)
            }
        }
    }

    private static func unknownRevision(_ wanted: String, _ id: JSONElement) -> RouteResponse {
        failure(id, .revision, "The protocol is not spoken in the revision \"\(wanted)\".", .badRequest) { writer in
            writer.name("data")
            writer.beginObject()
            writer.list("supported", revisions)
            writer.member("requested", wanted)
            writer.endObject()
        }
    }

    private static func failure(
        _ id: JSONElement?, _ code: Code, _ message: String, _ status: HTTPResponse.Status = .ok,
        _ more: (inout JSONWriter) -> Void = { _ in }
    ) -> RouteResponse {
        RouteResponse(status) { writer in
            begin(id, &writer)
            writer.name("error")
            writer.beginObject()
            writer.member("code", code.rawValue)
            writer.member("message", message)
            more(&writer)
            writer.endObject()
            writer.endObject()
        }
    }

    private static func begin(_ id: JSONElement?, _ writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("jsonrpc", "2.0")
        writer.name("id")
        if let id { writer.raw(id.text) } else { writer.null() }
    }
}
