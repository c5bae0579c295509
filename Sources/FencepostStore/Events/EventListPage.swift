import FencepostFormats

/// A part of a list: sorted postings in about the bytes that a page of the database has.
///
/// A posting takes 5 to 10 bytes: the difference of its key to the one before, that of its time, and that of its number.
struct EventListPage: Sendable {
    /// The first posting, by which pages are found.
    let first: EventPosting
    let bytes: [UInt8]

    /// Bytes of a page, with the columns of its row less than 4096.
    private static let capacity = 3900
    /// The most bytes of a posting.
    private static let most = 30

    /// The pages of sorted postings.
    static func pages(of postings: [EventPosting]) -> [EventListPage] {
        var pages: [EventListPage] = []
        var rest = postings[...]
        while let first = rest.first {
            var writer = ByteWriter(capacity: capacity)
            var last = EventPosting(key: first.key, time: 0, number: 0)
            var end = rest.startIndex
            while end < rest.endIndex, writer.count + most <= capacity {
                let next = rest[end]
                writer.append(UInt64(bitPattern: next.key &- last.key))
                writer.append(signed: next.time &- last.time)
                writer.append(signed: next.number &- last.number)
                last = next
                end += 1
            }
            pages.append(EventListPage(first: first, bytes: writer.bytes))
            rest = rest[end...]
        }
        return pages
    }

    /// The postings of a page.
    ///
    /// - Throws: `CodecError` for bytes that are no page.
    static func postings(_ bytes: [UInt8], from key: Int64) throws(CodecError) -> [EventPosting] {
        var postings: [EventPosting] = []
        postings.reserveCapacity(bytes.count / 5)
        var reader = ByteReader(bytes)
        var last = EventPosting(key: key, time: 0, number: 0)
        while !reader.isAtEnd {
            last.key &+= Int64(bitPattern: try reader.number())
            last.time &+= try reader.signed()
            last.number &+= try reader.signed()
            postings.append(last)
        }
        return postings
    }
}
