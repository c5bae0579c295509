package import FencepostModel
import Foundation

/// The content of a device's checkpoint.
package struct DeviceRecord: Hashable, Codable {
    package var engine: MonitorEngine.DeviceState
    package var apps: AppRoster.DeviceState?
    /// The current visit.
    package var visit: Visit?
    /// The time up to which the clock has fired deadlines of the device; `nil` when it fired none.
    package var firedThrough: Timestamp?
    /// Evaluated fixes since the last snapshot of the device's history.
    package var fixesSinceSnapshot: Int?

    package init(engine: MonitorEngine.DeviceState, apps: AppRoster.DeviceState? = nil, visit: Visit? = nil) {
        (self.engine, self.apps, self.visit) = (engine, apps, visit)
    }

    /// Decodes the bytes of a `StateEncoder`, or the JSON of older versions, which starts with a brace.
    ///
    /// - Parameters:
    ///   - bytes: the content of a checkpoint.
    ///   - decoder: one that has decoded other states needs less time.
    /// - Throws: a `StateError` or a `DecodingError` for other bytes.
    package init(_ bytes: [UInt8], with decoder: StateDecoder = StateDecoder()) throws {
        self =
            bytes.first == UInt8(ascii: "{")
            ? try JSONDecoder().decode(DeviceRecord.self, from: Data(bytes))
            : try decoder.decode(DeviceRecord.self, from: bytes)
    }
}
