import FencepostModel

/// The deadlines of live devices, the earliest first: a binary heap.
///
/// Only the first entry is ever removed. A device whose deadline moves back keeps its old entry; when that entry is due,
/// the device is entered again with its current deadline.
struct DeadlineQueue {
    struct Entry {
        var moment: Timestamp
        /// Index in the table of devices. It may belong to another device by now.
        var device: Int32
    }

    private var heap: [Entry] = []

    mutating func add(_ device: Int, at moment: Timestamp) {
        heap.append(Entry(moment: moment, device: Int32(device)))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].moment < heap[parent].moment else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the first entry if it is due.
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
