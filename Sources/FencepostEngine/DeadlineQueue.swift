import FencepostModel

/// When devices have to be looked at by the clock, the next one first.
///
/// A binary heap that nothing is taken out of but the first: a device whose moment moves on keeps its place until that
/// comes, and is put in again with the moment that it has by then.
struct DeadlineQueue {
    struct Entry {
        var moment: Timestamp
        /// In the table of devices; another device's since, perhaps.
        var place: Int32
    }

    private var heap: [Entry] = []

    var isEmpty: Bool { heap.isEmpty }

    mutating func add(_ place: Int, at moment: Timestamp) {
        heap.append(Entry(moment: moment, place: Int32(place)))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].moment < heap[parent].moment else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes out the first entry if it is due.
    mutating func next(through now: Timestamp) -> Entry? {
        guard let first = heap.first, first.moment <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].moment < heap[child].moment { child += 1 }
            guard heap[child].moment < heap[parent].moment else { break }
            heap.swapAt(child, parent)
            parent = child
        }
        return first
    }
}
