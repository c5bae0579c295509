public import FencepostFormats
public import FencepostModel
public import Foundation

extension Table {
    /// How the rows of a workbook are written for people.
    public struct Wording: Sendable {
        /// The zone of their times.
        public var zone: TimeZone
        /// The units of distances and speeds.
        public var units: UnitSystem
        /// The names of devices; a row has the id of one without.
        public var devices: [DeviceID: String]
        /// The names of regions; a row has the id of one without.
        public var regions: [RegionID: String]

        public init(
            zone: TimeZone, units: UnitSystem, devices: [DeviceID: String] = [:], regions: [RegionID: String] = [:]
        ) {
            (self.zone, self.units, self.devices, self.regions) = (zone, units, devices, regions)
        }
    }
}
