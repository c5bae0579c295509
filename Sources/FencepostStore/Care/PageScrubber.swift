import Foundation
import Synchronization

/// Overwrites what SQLite leaves in the unused middle of its pages.
///
/// `secure_delete` zeroes what is deleted, but not the copies that stay behind when rows move to a page beside because
/// theirs was full. They lie between a page's list of cells and the cells themselves, where nothing is ever read from.
/// Only a `VACUUM` would remove them, which takes as much space again and holds up every commit for as long.
///
/// Source: the file format, https://sqlite.org/fileformat2.html, section 1.6.
final class PageScrubber: Sendable {
    private let path: String
    /// Kept open to the last: to close any descriptor of a file gives up all of the process's locks on it.
    private let descriptor = Mutex<Int32>(-1)

    init(_ path: String) {
        self.path = path
    }

    deinit {
        descriptor.withLock { if $0 >= 0 { close($0) } }
    }

    /// - Parameter roots: the first pages of all tables and indexes.
    /// - Precondition: the file holds all there is, the write-ahead log being empty, and nobody writes.
    func scrub(roots: [UInt32]) throws(StoreError) {
        let file = try open()
        var header = [UInt8](repeating: 0, count: 100)
        try read(file, &header, at: 0)
        let pageSize = header.number(at: 16) == 1 ? 65_536 : header.number(at: 16)
        guard pageSize >= 512 else { throw StoreError(.corrupt, "\(path) has no page size.") }
        let usable = pageSize - Int(header[20])
        var waiting = roots + [1]
        var page = [UInt8](repeating: 0, count: pageSize)
        while let number = waiting.popLast() {
            guard number > 0 else { continue }
            let place = Int(number - 1) * pageSize
            try read(file, &page, at: place)
            guard let tree = TreePage(page, isFirst: number == 1, usable: usable) else {
                throw StoreError(.corrupt, "Page \(number) of \(path) is not what it should be.")
            }
            for gap in tree.gaps where page[gap].contains(where: { $0 != 0 }) {
                try write(file, zeros: gap.count, at: place + gap.lowerBound)
            }
            waiting += tree.children
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

    private func read(_ file: Int32, _ bytes: inout [UInt8], at place: Int) throws(StoreError) {
        let count = bytes.count
        guard pread(file, &bytes, count, off_t(place)) == count else { throw failure() }
    }

    private func write(_ file: Int32, zeros count: Int, at place: Int) throws(StoreError) {
        let zeros = [UInt8](repeating: 0, count: count)
        guard pwrite(file, zeros, count, off_t(place)) == count else { throw failure() }
    }

    private func failure() -> StoreError {
        StoreError(.inputOutput, "\(path) cannot be overwritten: \(String(cString: strerror(errno))).")
    }
}

/// A page of a table or of an index, as far as its unused parts go.
private struct TreePage {
    /// Ranges of bytes that hold nothing.
    var gaps: [Range<Int>] = []
    /// The pages below.
    var children: [UInt32] = []

    /// - Parameter isFirst: the first page begins with the file's header of 100 bytes.
    /// - Returns: `nil` when that is no such page.
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
        // Parts between cells form a list: where the next one is, how long this one is, then nothing.
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
            let place = page.number(at: pointers + 2 * cell)
            guard place >= content, place + 4 <= usable else { return nil }
            children.append(page.pageNumber(at: place))
        }
        children.append(page.pageNumber(at: start + 8))
    }
}

extension [UInt8] {
    /// Two bytes, the high one first.
    fileprivate func number(at place: Int) -> Int { Int(self[place]) << 8 | Int(self[place + 1]) }

    fileprivate func pageNumber(at place: Int) -> UInt32 {
        UInt32(number(at: place)) << 16 | UInt32(number(at: place + 2))
    }
}
