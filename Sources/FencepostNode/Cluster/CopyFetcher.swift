import FencepostFiles
import FencepostHTTP
import FencepostModel
import FencepostOperation
import FencepostServer
import FencepostStore
import Foundation
import Logging

/// Replaces a node's copy of the database by that of another node.
struct CopyFetcher: Sendable {
    /// The path of the database.
    let path: String
    /// The part of the cluster whose database it is.
    let part: ClusterPartition
    let identity: ClusterLink.Identity
    let tls: PeerTLS?
    let logger: Logger

    /// The path of a copy for another node while it is made or sent.
    static func outgoing(_ path: String) -> String { path + ".copy" }

    /// Makes a copy for another node.
    ///
    /// - Parameter path: the path of the database.
    /// - Returns: the path of the copy.
    /// - Throws: a `StoreError` or an `OutputFileError`; there is no copy then.
    static func make(of path: String) async throws -> String {
        // Several nodes may ask at once.
        let copy = outgoing(path) + "-" + UUID().uuidString.prefix(8)
        try await withTaskExecutorPreference(globalConcurrentExecutor) {
            try Backup.make(of: path, to: OutputFile(String(copy)))
        }
        return String(copy)
    }

    /// Removes what a process that was killed has left.
    func removeLeftovers() {
        let folder = FileName.folder(of: path)
        let name = (Self.outgoing(path) as NSString).lastPathComponent
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where file.hasPrefix(name) {
            unlink(folder + "/" + file)
        }
        unlink(incoming)
    }

    private var incoming: String { path + ".fetched" }

    /// Fetches the copy of the first node that gives one that is newer.
    ///
    /// - Parameters:
    ///   - sources: the URLs of nodes.
    ///   - sequence: the newest record that this node has applied; an older or equal copy is no use.
    /// - Returns: false when no node has given one.
    /// - Throws: a `StoreError` or an `OutputFileError` when the copy cannot be put in its place; nothing is changed then.
    func fetch(from sources: [String], behind sequence: UInt64?) async throws -> Bool {
        for source in sources {
            logger.info("fetching a copy of the database", metadata: ["from": "\(source)"])
            unlink(incoming)
            defer { unlink(incoming) }
            do throws(CopyTransfer.Failure) {
                let size = try await CopyTransfer.fetch(
                    from: source, key: identity.requestKey, tls: tls, part: part, to: incoming)
                logger.info("a copy has come", metadata: ["from": "\(source)", "bytes": "\(size)"])
            } catch {
                logger.warning("a copy did not come", metadata: ["error": "\(error)"])
                continue
            }
            guard let mark = try ReplicaStore.mark(of: incoming), mark.cluster == identity.id,
                sequence.map({ mark.sequence > $0 }) ?? true
            else {
                logger.warning("the copy is not newer than this node's", metadata: ["from": "\(source)"])
                continue
            }
            let old = try Backup.restore(incoming, to: path, at: WallClock.now)
            // What it had is in the new one too.
            for suffix in ["", "-wal"] { old.map { _ = unlink($0 + suffix) } }
            return true
        }
        return false
    }
}
