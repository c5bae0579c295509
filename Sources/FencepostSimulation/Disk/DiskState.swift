/// One operation on a file of a disk that changes what the disk holds.
package enum DiskChange: Sendable {
    case create
    case write(offset: Int, bytes: [UInt8])
    case truncate(size: Int)
    case sync
    case delete
}

/// What a power loss leaves of the changes that were not synced.
package enum PowerLoss: Hashable, Sendable, CaseIterable {
    /// None of them.
    case nothing
    /// All of them, as after a crash of the process.
    case everything
    /// The first ones of each file, in their order.
    case prefix
    /// Any of them, as a disk that writes in its own order.
    case anySubset
    /// Any sectors of 512 bytes of any of them.
    case tornSmall
    /// Any sectors of 4096 bytes of any of them.
    case tornLarge
    /// Any sectors of 512 bytes; some of those that were being written contain noise.
    case noise
}

/// What the files of a folder contain, and what of it survives a power loss. A pure value.
///
/// A sync of a file is a barrier for the changes of this file alone. SQLite syncs the folder with the first sync of a new
/// file, so that a file exists after a power loss from its first sync on. A deletion is durable with the next sync of any
/// file, as file systems with a journal of metadata have it.
package struct DiskState: Sendable {
    private struct File: Sendable {
        /// `nil` until the first sync.
        var durable: [UInt8]?
        /// The changes since the last sync.
        var pending: [DiskChange] = []
        /// Whether the file was deleted, and the deletion may be undone by a power loss.
        var isDeleted = false
    }

    private var files: [String: File] = [:]

    package init() {}

    /// A disk whose files are durable.
    package init(_ files: [String: [UInt8]]) {
        self.files = files.mapValues { File(durable: $0) }
    }

    /// Changes that no sync has made durable.
    package var pendingCount: Int { files.values.reduce(0) { $0 + $1.pending.count } }

    /// Applies a change to a file.
    package mutating func apply(_ change: DiskChange, to name: String) {
        switch change {
        case .create:
            files[name, default: File()].isDeleted = false
        case .write, .truncate:
            files[name, default: File()].pending.append(change)
        case .sync:
            var file = files.removeValue(forKey: name) ?? File()
            var contents = file.durable ?? []
            // Otherwise the first change would copy the whole file.
            file.durable = nil
            for change in file.pending { Self.apply(change, to: &contents) }
            file.durable = contents
            file.pending = []
            files[name] = file
            if files.values.contains(where: \.isDeleted) { files = files.filter { !$0.value.isDeleted } }
        case .delete:
            // The deletion is not synced: the file may come back with what was durable.
            files[name]?.isDeleted = true
            files[name]?.pending = []
        }
    }

    /// The files after a power loss now.
    package func surviving(
        _ loss: PowerLoss, using random: inout some RandomNumberGenerator
    ) -> [String: [UInt8]] {
        var result: [String: [UInt8]] = [:]
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            if file.isDeleted {
                if loss != .everything, let durable = file.durable, Bool.random(using: &random) {
                    result[name] = durable
                }
                continue
            }
            if file.durable == nil, loss == .nothing { continue }
            var contents = file.durable ?? []
            for change in Self.kept(of: file.pending, loss, using: &random) { Self.apply(change, to: &contents) }
            result[name] = contents
        }
        return result
    }

    private static func kept(
        of pending: [DiskChange], _ loss: PowerLoss, using random: inout some RandomNumberGenerator
    ) -> [DiskChange] {
        switch loss {
        case .nothing: return []
        case .everything: return pending
        case .prefix: return Array(pending.prefix(Int.random(in: 0...pending.count, using: &random)))
        case .anySubset: return pending.filter { _ in Bool.random(using: &random) }
        case .tornSmall: return pending.flatMap { torn($0, sector: 512, hasNoise: false, using: &random) }
        case .tornLarge: return pending.flatMap { torn($0, sector: 4096, hasNoise: false, using: &random) }
        case .noise: return pending.flatMap { torn($0, sector: 512, hasNoise: true, using: &random) }
        }
    }

    private static func torn(
        _ change: DiskChange, sector: Int, hasNoise: Bool, using random: inout some RandomNumberGenerator
    ) -> [DiskChange] {
        switch change {
        case .create, .sync, .delete: return []
        case .truncate: return Bool.random(using: &random) ? [change] : []
        case .write(let offset, let bytes):
            var (parts, start) = ([DiskChange](), 0)
            while start < bytes.count {
                let end = min(bytes.count, ((offset + start) / sector + 1) * sector - offset)
                var part = Array(bytes[start..<end])
                switch Int.random(in: 0..<8, using: &random) {
                case 0..<4: parts.append(.write(offset: offset + start, bytes: part))
                case 4 where hasNoise:
                    for index in part.indices { part[index] = .random(in: 0...255, using: &random) }
                    parts.append(.write(offset: offset + start, bytes: part))
                default: break
                }
                start = end
            }
            return parts
        }
    }

    private static func apply(_ change: DiskChange, to contents: inout [UInt8]) {
        switch change {
        case .create, .sync, .delete: break
        case .truncate(let size):
            if size < contents.count {
                contents.removeLast(contents.count - size)
            } else {
                contents += [UInt8](repeating: 0, count: size - contents.count)
            }
        case .write(let offset, let bytes):
            let end = offset + bytes.count
            if end > contents.count { contents += [UInt8](repeating: 0, count: end - contents.count) }
            contents.replaceSubrange(offset..<end, with: bytes)
        }
    }
}
