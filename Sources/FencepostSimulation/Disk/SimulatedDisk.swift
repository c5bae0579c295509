import CSimulatedDisk
import FencepostModel
package import Foundation
import Synchronization

/// What SQLite does with the files of one folder: counted, recorded, and made to fail.
///
/// The files are real ones, so that everything else that the store does with them works too; what a power loss would leave
/// of them is computed. A disk that has died fails every operation from then on, and the files of the next one are in
/// another folder.
package final class SimulatedDisk: Sendable {
    /// The kinds of operations, with the numbers that the C module uses.
    package enum Operation: Int32, Sendable, CaseIterable {
        case open, read, write, sync, truncate, delete
    }

    /// A failure of operations.
    package struct Fault: Hashable, Sendable {
        /// The result codes of SQLite that a fault may have.
        package enum Code: Int32, Sendable, CaseIterable {
            case inputOutput = 10
            case full = 13
            case cannotOpen = 14
        }

        /// `nil` for all kinds.
        package var operation: Operation?
        /// Which of them fails, from 1, counted from when the fault was set.
        package var number: Int
        package var code: Code
        /// Whether all later ones fail too, until the fault is removed.
        package var isLasting: Bool

        package init(_ operation: Operation?, number: Int, code: Code = .inputOutput, isLasting: Bool = false) {
            (self.operation, self.number, self.code, self.isLasting) = (operation, number, code, isLasting)
        }

        /// How the code of an operation is refined by SQLite's VFS.
        fileprivate func code(for operation: Operation) -> Int32 {
            if operation == .open { return Code.cannotOpen.rawValue }
            guard case .inputOutput = code else { return code.rawValue }
            let detail: Int32 =
                switch operation {
                case .open: 0
                case .read: 1
                case .write: 3
                case .sync: 4
                case .truncate: 6
                case .delete: 10
                }
            return code.rawValue | detail << 8
        }
    }

    private struct State: Sendable {
        var disk: DiskState
        var isDead = false
        var fault: Fault?
        var seen = 0
        /// Operations until the disk dies; `nil` for never.
        var countdown: Int?
        var isFull = false
        var liesAboutSyncs = false
        var counts: [Int] = Array(repeating: 0, count: Operation.allCases.count)
        var faults = 0
        var trace = TraceHash()
        /// `nil` when nothing is recorded.
        var record: [(name: String, change: DiskChange)]?
    }

    /// Real path of the folder, with a slash at the end.
    package let folder: String
    private let state: Mutex<State>

    /// A disk whose files are those of a folder now.
    ///
    /// `records`: whether all changes are kept, for `record`.
    package init(folder: URL, records: Bool = false) throws {
        let path = folder.resolvingSymlinksInPath().path + "/"
        self.folder = path
        var files: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where ![".lock", ".work"].contains(where: name.hasSuffix) {
            files[name] = [UInt8](try Data(contentsOf: URL(filePath: path + name)))
        }
        state = Mutex(State(disk: DiskState(files), record: records ? [] : nil))
        Self.disks.withLock { $0.append(self) }
        let code = fencepost_disk_install(
            { operation, path, offset, size in
                guard let path, let (disk, name) = SimulatedDisk.find(path) else { return 0 }
                return disk.before(operation, name, offset, size)
            },
            { operation, path, offset, size, bytes in
                guard let path, let (disk, name) = SimulatedDisk.find(path) else { return }
                disk.after(operation, name, Int(offset), Int(size), bytes)
            })
        precondition(code == 0, "SQLite does not take the simulated disk: \(code)")
    }

    /// Makes the random bytes that SQLite uses follow from a number.
    package static func seed(_ seed: UInt64) { fencepost_disk_seed(seed) }

    /// Forgets the disk: operations on its files are no longer observed.
    package func remove() { Self.disks.withLock { $0.removeAll { $0 === self } } }

    private static let disks = Mutex<[SimulatedDisk]>([])

    private static func find(_ path: UnsafePointer<CChar>) -> (SimulatedDisk, String)? {
        disks.withLock { disks in
            guard !disks.isEmpty else { return nil }
            let path = String(cString: path)
            guard let disk = disks.first(where: { path.hasPrefix($0.folder) }) else { return nil }
            return (disk, String(path.dropFirst(disk.folder.count)))
        }
    }

    // MARK: Faults

    /// Sets what fails from now on; `nil` for nothing.
    package func set(_ fault: Fault?) {
        state.withLock { ($0.fault, $0.seen) = (fault, 0) }
    }

    /// Whether files cannot grow.
    package func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    /// Whether syncs report success without an effect.
    package func setLying(_ lies: Bool) { state.withLock { $0.liesAboutSyncs = lies } }

    /// Lets the disk die before the changing operation with this number, from 1.
    package func die(after number: Int) { state.withLock { $0.countdown = number } }

    /// Every operation fails from now on, and what is on the disk no longer changes.
    package func die() { state.withLock { $0.isDead = true } }

    /// Whether nothing fails now.
    package var isWritable: Bool {
        state.withLock { state in
            let fails = state.fault.map { $0.isLasting && state.seen >= $0.number } ?? false
            return !state.isDead && !state.isFull && !fails
        }
    }
    package var isDead: Bool { state.withLock { $0.isDead } }
    /// Operations that failed because of a fault.
    package var faultCount: Int { state.withLock { $0.faults } }
    /// Operations of a kind so far.
    package func count(_ operation: Operation) -> Int { state.withLock { $0.counts[Int(operation.rawValue)] } }
    /// Hash of all operations so far.
    package var trace: UInt64 { state.withLock { $0.trace.value } }

    // MARK: Results

    /// All changes so far.
    package var record: [(name: String, change: DiskChange)] { state.withLock { $0.record ?? [] } }
    /// The number of changes in `record`.
    package var recordCount: Int { state.withLock { $0.record?.count ?? 0 } }

    /// The files after a power loss now.
    package func surviving(
        _ loss: PowerLoss, using random: inout some RandomNumberGenerator
    ) -> [String: [UInt8]] {
        let disk = state.withLock { $0.disk }
        return disk.surviving(loss, using: &random)
    }

    // MARK: Operations

    private func before(_ operation: Int32, _ name: String, _ offset: Int64, _ size: Int64) -> Int32 {
        guard let operation = Operation(rawValue: operation) else { return 0 }
        return state.withLock { state in
            state.counts[Int(operation.rawValue)] += 1
            if operation != .read {
                state.trace.add(UInt64(operation.rawValue), UInt64(bitPattern: offset), UInt64(bitPattern: size))
            }
            switch operation {
            case .write, .sync, .truncate, .delete:
                if let countdown = state.countdown {
                    state.countdown = countdown - 1
                    if countdown <= 1 { state.isDead = true }
                }
            case .open, .read: break
            }
            if state.isDead { return 10 }
            if state.isFull, operation == .write {
                let end = Int(offset + size)
                if end > Self.size(of: folder + name) {
                    state.faults += 1
                    return 13
                }
            }
            guard let fault = state.fault, fault.operation == nil || fault.operation == operation else { return 0 }
            state.seen += 1
            guard state.seen == fault.number || (fault.isLasting && state.seen > fault.number) else { return 0 }
            state.faults += 1
            return fault.code(for: operation)
        }
    }

    private func after(
        _ operation: Int32, _ name: String, _ offset: Int, _ size: Int, _ bytes: UnsafeRawPointer?
    ) {
        guard !name.hasSuffix("-shm"), let operation = Operation(rawValue: operation) else { return }
        let change: DiskChange
        switch operation {
        case .open: change = .create
        case .read: return
        case .write:
            guard let bytes else { return }
            change = .write(offset: offset, bytes: Array(UnsafeRawBufferPointer(start: bytes, count: size)))
        case .sync: change = .sync
        case .truncate: change = .truncate(size: offset)
        case .delete: change = .delete
        }
        state.withLock { state in
            guard !state.isDead else { return }
            if case .sync = change, state.liesAboutSyncs { return }
            state.disk.apply(change, to: name)
            if state.record != nil { state.record?.append((name, change)) }
        }
    }

    private static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}

/// A hash of a sequence of numbers, to compare two runs (FNV-1a over 64-bit words).
package struct TraceHash: Hashable, Sendable {
    package private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    package init() {}

    package mutating func add(_ words: UInt64...) {
        for word in words {
            value = (value ^ word) &* 0x0000_0100_0000_01b3
            value ^= value >> 29
        }
    }

    package mutating func add(_ text: String) {
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    }
}
