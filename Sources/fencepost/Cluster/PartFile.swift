import FencepostModel

/// The names of the databases in a node's folder, of a cluster with several partitions.
enum PartFile {
    /// `config.sqlite`, or `p0007.sqlite`.
    static func name(of part: ClusterPart) -> String {
        switch part {
        case .configuration: "config.sqlite"
        case .partition(let number): "p" + String(10_000 + number).dropFirst() + ".sqlite"
        }
    }
}
