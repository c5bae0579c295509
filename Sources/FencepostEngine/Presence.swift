package import FencepostModel

/// A device was in an area: what the monitor says of it.
package struct Presence: Hashable, Sendable {
    /// The device.
    package let deviceID: DeviceID
    /// The entry; `nil` if the device was inside before the monitor knew it, in the crossing mode `coreLocation`.
    package let entry: Event?
    /// The exit; `nil` while the device has not left, as far as its fixes show.
    package let exit: Event?

    package init(deviceID: DeviceID, entry: Event?, exit: Event?) {
        (self.deviceID, self.entry, self.exit) = (deviceID, entry, exit)
    }

    /// The time of the entry; `nil` where it is not known.
    package var arrival: Timestamp? { entry?.timestamp }
    /// The time of the exit; `nil` while there is none.
    package var departure: Timestamp? { exit?.timestamp }

    /// Whether the device was there between two times, of which the second one does not count.
    package func overlaps(from start: Timestamp, to end: Timestamp) -> Bool {
        (arrival.map { $0 < end } ?? true) && (departure.map { $0 >= start } ?? true)
    }
}
