import Foundation
import GRDB
import Synchronization

/// Overwrites the unused bytes of a database's pages.
///
/// `secure_delete` overwrites deleted rows, but not the copies that remain when SQLite moves rows to another page. They lie
/// between a page's cell pointers and its cells, where SQLite never reads. Otherwise only a `VACUUM` removes them, which
/// needs the size of the database again and blocks all commits.
///
/// Source: the file format, https://sqlite.org/fileformat2.html, section 1.6.
final class PageEraser: Sendable {
    private let path: String
    /// Open until the end: closing any descriptor of a file releases all POSIX locks of the process on it.
    private let descriptor = Mutex<Int32>(-1)

    init(_ path: String) {
        self.path = path
    }

    deinit {
        descriptor.withLock { if $0 >= 0 { close($0) } }
    }

    /// Empties the write-ahead log, and overwrites the unused bytes of all pages.
    ///
    /// - Parameter db: the writing connection, in no transaction.
    /// - Returns: false when a reader prevents it.
    /// - Throws: a `StoreError`, or an error of the database.
    func scrub(_ db: Database) throws -> Bool {
        guard try SQLiteStore.checkpoint(db) else { return false }
        let roots = try UInt32.fetchAll(db, sql: "SELECT rootpage FROM sqlite_schema WHERE rootpage > 0")
        // Pages in the cache could restore the overwritten bytes.
        db.releaseMemory()
        try scrub(roots: roots)
        db.releaseMemory()
        return true
    }

    /// Overwrites the unused bytes of all pages of the tables and indexes with these root pages.
    ///
    /// - Precondition: the write-ahead log is empty, and no connection writes.
    private func scrub(roots: [UInt32]) throws(StoreError) {
        let file = try open()
        var header = [UInt8](repeating: 0, count: 100)
        try read(file, &header, at: 0)
        let pageSize = header.number(at: 16) == 1 ? 65_536 : header.number(at: 16)
        guard pageSize >= 512 else { throw StoreError(.corrupt, "\(path) has no page size.") }
        let usable = pageSize - Int(header[20])
        var pending = roots + [1]
        var page = [UInt8](repeating: 0, count: pageSize)
        while let number = pending.popLast() {
            guard number > 0 else { continue }
            let offset = Int(number - 1) * pageSize
            try read(file, &page, at: offset)
            guard let tree = TreePage(page, isFirst: number == 1, usable: usable) else {
                throw StoreError(.corrupt, "Page \(number) of \(path) is not a valid B-tree page.")
            }
            for gap in tree.gaps where page[gap].contains(where: { $0 != 0 }) {
                try write(file, zeros: gap.count, at: offset + gap.lowerBound)
            }
            pending += tree.children
        }
        guard fsync(file) == 0 else { throw failure() }
    }

    private func open() throws(StoreError) -> Int32 {
        let file = descriptor.withLock { descriptor in
            if descriptor < 0 { descriptor = Foundation.open(path, O_RDWR | O_CLOEXEC) }
            return descriptor
        }
        guard file >= 0 else { throw failure() }
        return file
    }

    private func read(_ file: Int32, _ bytes: inout [UInt8], at offset: Int) throws(StoreError) {
        let count = bytes.count
        guard pread(file, &bytes, count, off_t(offset)) == count else { throw failure() }
    }

    private func write(_ file: Int32, zeros count: Int, at offset: Int) throws(StoreError) {
        let zeros = [UInt8](repeating: 0, count: count)
        guard pwrite(file, zeros, count, off_t(offset)) == count else { throw failure() }
    }

    private func failure() -> StoreError {
        StoreError(.inputOutput, "\(path) cannot be overwritten: \(String(cString: strerror(errno))).")
    }
}

/// The unused bytes and the children of a B-tree page.
private struct TreePage {
    /// Unused byte ranges.
    var gaps: [Range<Int>] = []
    /// Child pages.
    var children: [UInt32] = []

    /// Reads a page; `nil` for pages that are not of a B-tree. `isFirst` is whether it is the first page, which starts
    /// with the file's header of 100 bytes.
    init?(_ page: [UInt8], isFirst: Bool, usable: Int) {
        let start = isFirst ? 100 : 0
        let isInterior: Bool
        switch page[start] {
        case 2, 5: isInterior = true
        case 10, 13: isInterior = false
        default: return nil
        }
        let cells = page.number(at: start + 3)
        let content = page.number(at: start + 5) == 0 ? 65_536 : page.number(at: start + 5)
        let pointers = start + (isInterior ? 12 : 8)
        let end = pointers + 2 * cells
        guard end <= content, content <= usable else { return nil }
        gaps.append(end..<content)
        // Free blocks between cells form a list; each starts with the offset of the next and its own size.
        var block = page.number(at: start + 1)
        while block != 0 {
            guard block >= content, block + 4 <= usable else { return nil }
            let (next, size) = (page.number(at: block), page.number(at: block + 2))
            guard size >= 4, block + size <= usable, next == 0 || next > block else { return nil }
            gaps.append(block + 4..<block + size)
            block = next
        }
        guard isInterior else { return }
        for cell in 0..<cells {
            let offset = page.number(at: pointers + 2 * cell)
            guard offset >= content, offset + 4 <= usable else { return nil }
            children.append(page.pageNumber(at: offset))
        }
        children.append(page.pageNumber(at: start + 8))
    }
}

extension [UInt8] {
    /// A big-endian 16-bit number.
    fileprivate func number(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }

    fileprivate func pageNumber(at offset: Int) -> UInt32 {
        UInt32(number(at: offset)) << 16 | UInt32(number(at: offset + 2))
    }
}
