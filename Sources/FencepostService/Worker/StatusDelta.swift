import FencepostEngine
import FencepostModel

/// The statuses that a commit changes. Devices are named by the engine's index.
struct StatusDelta: Sendable {
    /// A status that changed in more than its position.
    struct StatusUpdate: Sendable {
        var device: Int
        var status: DeviceStatus
    }

    /// A new position of a device whose status is otherwise unchanged. Far cheaper than a `StatusUpdate`, and nearly all
    /// fixes need only this.
    struct PositionUpdate: Sendable {
        var device: Int32
        /// Index of the fix in the commit.
        var fix: Int32
    }

    var statuses: [StatusUpdate] = []
    var positions: [PositionUpdate] = []
    var livePositions: [Location] = []
}
