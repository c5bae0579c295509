import FencepostFiles
package import FencepostModel
import FencepostStore
import Foundation

/// The names of the databases in a node's folder, of a cluster with several partitions.
package enum PartitionFile {
    /// The only database, of a single node or a cluster of one partition, where its folder is named.
    package static let single = "fencepost.sqlite"

    /// The copy of a cluster's configuration in the folder of a database that is not there; `nil` for none.
    package static func copy(nextTo path: String) -> String? {
        let copy = FileName.folder(of: path) + "/" + name(of: .configuration)
        guard !FileManager.default.fileExists(atPath: path), FileManager.default.fileExists(atPath: copy),
            (try? ReplicaStore.mark(of: copy)) ?? nil != nil
        else { return nil }
        return copy
    }

    /// The path of a part's database.
    ///
    /// - Parameters:
    ///   - part: the part.
    ///   - partitioning: how the cluster divides its devices.
    ///   - path: that of the only database, or one in the same folder.
    /// - Returns: the path.
    package static func path(of part: ClusterPartition, in partitioning: Partitioning, _ path: String) -> String {
        partitioning == .single ? path : FileName.folder(of: path) + "/" + name(of: part)
    }

    /// Removes a part's database with all that belongs to it.
    ///
    /// - Parameter path: the path of the database, which nothing has open.
    static func remove(_ path: String) {
        // The database last: a write-ahead log alone would be applied to the next one, and a database alone is an older copy.
        for suffix in [".erasing", ".work", "-wal", "-shm", "-journal", ".lock", ""] { unlink(path + suffix) }
    }

    /// `config.sqlite`, or `p0007.sqlite`.
    package static func name(of part: ClusterPartition) -> String {
        switch part {
        case .configuration: "config.sqlite"
        case .partition(let number): "p" + String(10_000 + number).dropFirst() + ".sqlite"
        }
    }
}
