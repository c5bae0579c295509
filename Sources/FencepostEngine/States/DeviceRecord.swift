package import FencepostModel
import Foundation

/// What a device's checkpoint holds.
package struct DeviceRecord: Hashable, Codable {
    package var engine: MonitorEngine.DeviceState
    package var apps: AppRoster.DeviceState?
    /// The visit that goes on.
    package var visit: Visit?

    package init(engine: MonitorEngine.DeviceState, apps: AppRoster.DeviceState? = nil, visit: Visit? = nil) {
        (self.engine, self.apps, self.visit) = (engine, apps, visit)
    }

    /// Reads what a `StateEncoder` wrote, or what older versions wrote: JSON, which begins with a brace.
    ///
    /// - Throws: a `StateError` or a `DecodingError` for bytes that are neither.
    package init(_ bytes: [UInt8]) throws {
        self =
            bytes.first == UInt8(ascii: "{")
            ? try JSONDecoder().decode(DeviceRecord.self, from: Data(bytes))
            : try StateDecoder.decode(DeviceRecord.self, from: bytes)
    }
}
