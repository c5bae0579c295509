import FencepostFormats
import FencepostModel
import FencepostService

extension Submission {
    /// The shares of the partitions, each in the order of the submission. What has no device belongs to partition 0.
    ///
    /// - Parameter partitions: how the cluster divides its devices.
    /// - Returns: the shares that are not empty.
    func divided(among partitions: Partitioning) -> [ClusterPartition: Submission] {
        guard !isEmpty else { return [:] }
        // Most submissions are of one device.
        if let device = locations.first?.deviceID, allDevices({ $0 == device }) {
            return [partitions.part(of: device): self]
        }
        var known: [DeviceID: ClusterPartition] = [:]
        var shares: [ClusterPartition: Submission] = [:]
        func part(of device: DeviceID?) -> ClusterPartition {
            guard let device else { return .partition(0) }
            if let part = known[device] { return part }
            let part = partitions.part(of: device)
            known[device] = part
            return part
        }
        var empty = Submission(format: format)
        empty.traceparent = traceparent
        for location in locations { shares[part(of: location.deviceID), default: empty].locations.append(location) }
        for location in livePositions {
            shares[part(of: location.deviceID), default: empty].livePositions.append(location)
        }
        for report in reports { shares[part(of: report.deviceID), default: empty].reports.append(report) }
        for entry in quarantined { shares[part(of: entry.deviceID), default: empty].quarantined.append(entry) }
        return shares
    }

    /// Whether a part has all devices of the submission.
    func isAll(of part: ClusterPartition, in partitions: Partitioning) -> Bool {
        var last: DeviceID?
        return allDevices { device in
            guard let device, device != last else { return true }
            last = device
            return partitions.part(of: device) == part
        }
    }

    /// Whether a condition holds for the device of each record, which is `nil` for a record without one.
    private func allDevices(_ condition: (DeviceID?) -> Bool) -> Bool {
        locations.allSatisfy { condition($0.deviceID) } && livePositions.allSatisfy { condition($0.deviceID) }
            && reports.allSatisfy { condition($0.deviceID) } && quarantined.allSatisfy { condition($0.deviceID) }
    }
}

extension SubmissionReceipt {
    /// The receipt of two shares of a submission.
    static func + (a: SubmissionReceipt, b: SubmissionReceipt) -> SubmissionReceipt {
        SubmissionReceipt(
            accepted: a.accepted + b.accepted, late: a.late + b.late, duplicates: a.duplicates + b.duplicates)
    }
}
