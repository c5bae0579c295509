public import FencepostModel

/// Finds the recorded fixes of any number of devices whose time is ahead of their neighbours, or 1024 weeks behind them, where the fixes are sorted later
/// and not evaluated in the order of arrival.
public struct LeapFilter: Sendable {
    private var buffers: [DeviceID: ReorderBuffer] = [:]
    /// The fixes that were found so far.
    public private(set) var ahead: [Location] = []

    /// A filter that has taken no fix.
    public init() {}

    /// Takes a fix in the order of arrival.
    ///
    /// - Returns: the fixes that are known to have a right time now: mostly this one.
    public mutating func take(_ location: Location) -> [Location] {
        var ready: [Location] = []
        let verdict = buffers[location.deviceID, default: ReorderBuffer()].hold(location) {
            ahead.append($0)
        } ready: {
            ready.append($0)
        }
        switch verdict {
        // It is late in the order of arrival only.
        case .late: ready.append(location)
        case .ahead: ahead.append(location)
        case .accepted, .held, .duplicate: break
        }
        return ready
    }

    /// Ends the input.
    ///
    /// - Returns: the fixes that were held and have a right time, by device.
    public mutating func finish() -> [Location] {
        var ready: [Location] = []
        for (_, var buffer) in buffers.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            buffer.end(ahead: { ahead.append($0) }, ready: { ready.append($0) })
        }
        buffers = [:]
        return ready
    }
}
