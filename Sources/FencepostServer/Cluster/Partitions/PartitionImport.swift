import FencepostGeometry
import FencepostHTTP
import FencepostJSON
import FencepostModel
import FencepostService
import HTTPTypes
import Hummingbird
import NIOCore

/// Imports a file of any devices: all partitions get it under the same id, and each stores what belongs to it.
struct PartitionImport: Sendable {
    private struct Answer: Sendable {
        var response: Response
        var body: [UInt8]
    }

    /// The name of the header with the id of an import that the router has chosen.
    static let name = HTTPField.Name(literal: "Fencepost-Import")
    /// The largest answer in bytes: a file may have many rejected records.
    private static let limit = 64 << 20
    /// The states of an import, the least advanced first.
    private static let states = ["staging", "paused", "storing", "evaluating", "cancelled", "done"]

    let partitions: Partitioning
    let caller: any PartitionCaller

    /// The id of an import that all partitions take part in; `nil` for another request.
    static func id(_ headers: HTTPFields, key: String?) -> String? {
        Forwarding.client(headers, key: key) == nil ? nil : headers[name]
    }

    /// Has all partitions import a file.
    ///
    /// - Parameter request: the request with the file.
    /// - Returns: the answer that a single node would give, or that of a partition that has failed. What the others have
    ///   stored by then counts as duplicates when the file is sent again.
    /// - Throws: a `Problem` when a leader has not answered in the time allowed.
    func answer(_ request: PartitionRequest) async throws -> Response {
        var request = request
        request.headers[Self.name] = Self.makeID()
        let answers = try await withThrowingTaskGroup(of: (Int, Answer).self) { [request] group in
            for (index, part) in partitions.devices.enumerated() {
                group.addTask {
                    var response = try await caller.answer(to: request, from: part)
                    let body = try await response.body.collected(limit: Self.limit)
                    response.body = ResponseBody()
                    return (index, Answer(response: response, body: body))
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }.map(\.value)
        }
        let failed = answers.filter { $0.response.status.code >= 400 }
        if let answer = failed.max(by: { $0.response.status.code < $1.response.status.code }) {
            return Self.response(answer, answer.body)
        }
        let roots = try answers.map { try JSONDocument(parsing: $0.body).root }
        // An import that goes on in the background says more.
        guard let first = answers.firstIndex(where: { $0.response.status == .accepted }) ?? answers.indices.first else {
            throw Problem.internalError
        }
        return Self.response(answers[first], Self.merged(roots, like: roots[first]))
    }

    private static func makeID() -> String {
        var identity = Identity()
        identity.add(Int64.random(in: .min ... .max))
        identity.add(Int64.random(in: .min ... .max))
        return identity.text(prefix: "imp_")
    }

    private static func response(_ answer: Answer, _ body: [UInt8]) -> Response {
        var response = answer.response
        response.headers[.contentLength] = nil
        response.body = ResponseBody(byteBuffer: ByteBuffer(bytes: body))
        return response
    }

    // MARK: - Adding up

    /// The report of an import, or its state, from those of all partitions.
    ///
    /// - Parameters:
    ///   - roots: the bodies of the answers.
    ///   - model: the one whose other members are taken, which are the same in all of its kind.
    /// - Returns: JSON.
    static func merged(_ roots: [JSONElement], like model: JSONElement) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for member in model.object.map(Array.init) ?? [] {
            switch member.name {
            case "stored", "duplicates", "repeated":
                writer.member(member.name, roots.reduce(0) { $0.addingClamped($1[member.name]?.int ?? 0) })
            case "locations": writer.member(member.name, roots.reduce(0) { $0.addingClamped(locations(of: $1)) })
            case "events": write(eventsOf: roots, to: &writer)
            case "devices": write(devicesOf: roots, to: &writer)
            case "progress":
                writer.name(member.name)
                writer.value((progress(of: roots) * 1000).rounded() / 1000)
            case "state":
                let found = roots.compactMap { $0["state"]?.string }
                writer.member(member.name, states.first(where: found.contains) ?? found.first ?? "done")
            default:
                writer.name(member.name)
                writer.value(member.value)
            }
        }
        writer.endObject()
        return writer.bytes
    }

    /// An import that is done has no number of its locations.
    private static func locations(of root: JSONElement) -> Int {
        root["locations"]?.int ?? (root["stored"]?.int ?? 0).addingClamped(root["duplicates"]?.int ?? 0)
    }

    private static func progress(of roots: [JSONElement]) -> Double {
        let all = roots.reduce(0) { $0.addingClamped(locations(of: $1)) }
        guard all > 0 else { return roots.compactMap { $0["progress"]?.double }.min() ?? 1 }
        return roots.reduce(0) { $0 + Double(locations(of: $1)) * ($1["progress"]?.double ?? 1) } / Double(all)
    }

    private static func write(eventsOf roots: [JSONElement], to writer: inout JSONWriter) {
        var events: [String: Int] = [:]
        for root in roots {
            // One of the previews was too large to count them.
            guard let object = root["events"]?.object else { return }
            for member in object {
                events[member.name] = (events[member.name] ?? 0).addingClamped(member.value.int ?? 0)
            }
        }
        writer.value(counts: events)
    }

    private static func write(devicesOf roots: [JSONElement], to writer: inout JSONWriter) {
        let devices = roots.flatMap { $0["devices"]?.array.map(Array.init) ?? [] }
            .map { (count: $0["locations"]?.int ?? 0, id: $0["id"]?.string ?? "", element: $0) }
            .sorted { ($1.count, $0.id) < ($0.count, $1.id) }
        writer.array("devices", devices.prefix(50)) { $0.value($1.element) }
    }
}
