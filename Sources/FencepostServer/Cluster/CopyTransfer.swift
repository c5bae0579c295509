import AsyncHTTPClient
public import FencepostHTTP
public import FencepostModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Synchronization

/// Hands copies of a node's database to other nodes of its cluster, and fetches them.
public enum CopyTransfer {
    /// Why a copy did not come.
    public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
        /// A sentence for people.
        public let description: String

        /// A failure, as a sentence.
        public init(_ description: String) {
            self.description = description
        }
    }

    static let path = "/v1/cluster/copy"
    private static let chunk = 256 << 10

    /// Fetches the copy of another node.
    ///
    /// - Parameters:
    ///   - url: where the node answers, such as `http://10.0.0.1:8080`.
    ///   - key: the key of the cluster's requests.
    ///   - tls: the certificates by which nodes know each other; `nil` for plain connections.
    ///   - part: the part whose database is wanted.
    ///   - path: a file that does not exist; it is there only when this returns, and may be damaged.
    /// - Returns: its size in bytes.
    /// - Throws: a `Failure`; there is no file then.
    public static func fetch(
        from url: String, key: [UInt8], tls: PeerTLS? = nil, part: ClusterPartition = .partition(0), to path: String
    ) async throws(Failure) -> Int {
        var configuration = HTTPClient.Configuration()
        // The copy is made before its first byte comes.
        configuration.timeout = HTTPClient.Configuration.Timeout(connect: .seconds(5), read: .minutes(30))
        configuration.httpVersion = .http1Only
        configuration.tlsConfiguration = tls?.client
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result: Result<Int, any Error>
        do {
            result = .success(try await fetch(client, url, target(of: part), key, path))
        } catch {
            result = .failure(error)
        }
        try? await client.shutdown()
        do {
            return try result.get()
        } catch {
            throw error as? Failure ?? Failure("No copy came from \(url): \(error).")
        }
    }

    /// The path and the query by which a node asks for the copy of a part. The only part of a cluster is not named, as in
    /// versions that knew no other.
    private static func target(of part: ClusterPartition) -> String {
        part == .partition(0) ? path : "\(path)?part=\(part)"
    }

    /// The part whose copy a request asks for; `nil` for another request, or a part that cannot be.
    static func part(ofTarget target: String) -> ClusterPartition? {
        guard target.hasPrefix(path) else { return nil }
        let rest = target.dropFirst(path.count)
        guard !rest.isEmpty else { return .partition(0) }
        return rest.hasPrefix("?part=") ? ClusterPartition(rest.dropFirst(6)) : nil
    }

    private static func fetch(
        _ client: HTTPClient, _ url: String, _ target: String, _ key: [UInt8], _ path: String
    ) async throws -> Int {
        let message = NodeMessage(
            node: url, target: target, signature: NodeSignature(client: Forwarding.ownClient, body: []))
        let response = try await NodeSigner(key: key).send(message, by: client)
        guard response.status == .ok else {
            throw Failure("\(url) has no copy to give: \(response.status.code).")
        }
        // A copy has secrets and positions.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure("\(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var isComplete = false
        defer { if !isComplete { unlink(path) } }
        var size = 0
        for try await buffer in response.body {
            try file.write(contentsOf: Data(buffer: buffer))
            size += buffer.readableBytes
        }
        if let announced = response.headers.first(name: "content-length"), announced != String(size) {
            throw Failure("The copy from \(url) is not complete.")
        }
        try file.synchronize()
        isComplete = true
        return size
    }

    /// A response with the content of a file, which is removed when the response was written.
    static func response(with path: String) throws -> Response {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        let size = Int(try file.seekToEnd())
        try file.seek(toOffset: 0)
        // The open descriptor is enough.
        unlink(path)
        let content = Mutex(file)
        return Response(
            status: .ok, headers: [.contentType: "application/vnd.sqlite3", .cacheControl: "no-store"],
            body: ResponseBody(contentLength: size) { writer in
                while let data = try content.withLock({ try $0.read(upToCount: chunk) }), !data.isEmpty {
                    try await writer.write(ByteBuffer(data: data))
                }
                try await writer.finish(nil)
            })
    }
}
