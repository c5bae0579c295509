import FencepostCluster

/// A change of a node's state, by the names of both.
struct NodeTransition: Hashable, CustomStringConvertible {
    let from: String
    let to: String

    init(_ from: NodeMachine.State, _ to: NodeMachine.State) {
        (self.from, self.to) = (Self.name(from), Self.name(to))
    }

    var description: String { "\(from) to \(to)" }

    private static func name(_ state: NodeMachine.State) -> String {
        switch state {
        case .idle: "idle"
        case .opening(.first): "opening"
        case .opening(.again): "opening again"
        case .opening(.forgiving): "forgiving"
        case .fetching: "fetching"
        case .following: "following"
        case .takingOver: "taking over"
        case .leading: "leading"
        case .handingOver: "handing over"
        case .steppingDown: "stepping down"
        case .waitingForDisk: "waiting for the disk"
        case .failed: "failed"
        case .closing: "closing"
        case .removing: "removing"
        case .stopped: "stopped"
        }
    }
}
