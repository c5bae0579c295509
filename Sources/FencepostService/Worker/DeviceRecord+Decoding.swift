import Dispatch
import FencepostEngine
import FencepostModel
import Synchronization

extension DeviceRecord {
    /// Checkpoints that one thread decodes at a time.
    static let chunk = 256
    /// Checkpoints whose records are in memory at the same time. A record takes several times the memory of its bytes.
    static let batch = 16 * chunk

    /// Decodes checkpoints on all cores, and passes the records on in order.
    ///
    /// - Parameters:
    ///   - checkpoints: the stored states.
    ///   - willRead: called before each one is read, with its device and the number of the thread, 0 to 15.
    ///   - body: takes each record with its checkpoint.
    /// - Throws: `MonitorStateError.unreadableState` for the first checkpoint that cannot be read, after the records before
    ///   it were passed on.
    static func decode(
        _ checkpoints: [DeviceCheckpoint], willRead: @escaping @Sendable (String, Int) -> Void = { _, _ in },
        _ body: (DeviceRecord, DeviceCheckpoint) throws -> Void
    ) throws {
        for start in stride(from: 0, to: checkpoints.count, by: batch) {
            let end = min(start + batch, checkpoints.count)
            var next = start
            for records in readable(checkpoints, from: start, to: end, willRead) {
                let chunkEnd = min(next + chunk, end)
                for record in records {
                    try body(record, checkpoints[next])
                    next += 1
                }
                guard next == chunkEnd else {
                    throw MonitorStateError.unreadableState(checkpoints[next].deviceID.rawValue)
                }
            }
        }
    }

    /// The records of each chunk, up to the first that cannot be read.
    private static func readable(
        _ checkpoints: [DeviceCheckpoint], from start: Int, to end: Int,
        _ willRead: @escaping @Sendable (String, Int) -> Void
    ) -> [[DeviceRecord]] {
        let count = (end - start + chunk - 1) / chunk
        let chunks = Mutex([[DeviceRecord]](repeating: [], count: count))
        @Sendable func read(_ index: Int) {
            let first = start + index * chunk
            let decoder = StateDecoder()
            var records: [DeviceRecord] = []
            records.reserveCapacity(chunk)
            for checkpoint in checkpoints[first..<min(first + chunk, end)] {
                willRead(checkpoint.deviceID.rawValue, index)
                guard let record = try? DeviceRecord(checkpoint.state, with: decoder) else { break }
                records.append(record)
            }
            let done = records
            chunks.withLock { $0[index] = done }
        }
        if count > 1 {
            DispatchQueue.concurrentPerform(iterations: count, execute: read)
        } else {
            read(0)
        }
        return chunks.withLock { $0 }
    }
}
