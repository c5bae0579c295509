import FencepostModel

/// What the session keeps of each device beside the engine's state, by the engine's places.
struct DeviceNotes {
    struct Note {
        /// The turn that touched the device last.
        var turn = 0
        /// Where the fix of that turn that shows the device's place stands in its commit; -1 for none.
        var sighting: Int32 = -1
        /// Whether its state is newer than its checkpoint.
        var isDirty = false
        /// Whether more than its place has changed in that turn.
        var isChanged = false
        /// What was last shown of it beside its place.
        var condition: UInt64 = 0
    }

    private(set) var list: [Note] = []
    /// Devices whose state is newer than their checkpoint, the longest so first.
    private var queue: [(place: Int, fixes: Int, since: Timestamp)] = []
    private var first = 0
    /// The devices of this turn, in the order in which it touched them.
    private(set) var touched: [Int] = []
    private var turn = 0

    /// Begins a turn, in which nothing is touched yet.
    mutating func begin() {
        turn += 1
        touched.removeAll(keepingCapacity: true)
    }

    /// The device there is other than before.
    mutating func touch(_ place: Int) {
        while list.count <= place { list.append(Note()) }
        guard list[place].turn != turn else { return }
        list[place].turn = turn
        list[place].sighting = -1
        list[place].isChanged = false
        touched.append(place)
    }

    /// The device was seen, as a fix of the commit says.
    ///
    /// - Parameter condition: as the engine has it now.
    mutating func see(_ place: Int, fix: Int, condition: UInt64) {
        touch(place)
        list[place].sighting = Int32(fix)
        if list[place].condition != condition {
            list[place].condition = condition
            list[place].isChanged = true
        }
    }

    /// More than its place has changed.
    mutating func change(_ place: Int) {
        touch(place)
        list[place].isChanged = true
    }

    /// All of the device is shown after this turn.
    ///
    /// - Parameter condition: as the engine has it now.
    mutating func show(_ place: Int, condition: UInt64) { list[place].condition = condition }

    // MARK: Checkpoints

    /// - Parameter fixes: how many came since the session began.
    mutating func markDirty(_ place: Int, fixes: Int, at now: Timestamp) {
        while list.count <= place { list.append(Note()) }
        guard !list[place].isDirty else { return }
        list[place].isDirty = true
        queue.append((place, fixes, now))
    }

    /// How many devices have a state that is newer than their checkpoint.
    var dirtyCount: Int { queue.count - first }

    /// The next device whose checkpoint is out of date, if it is so for long enough.
    mutating func takeDirty(where isDue: (_ fixes: Int, _ since: Timestamp) -> Bool) -> Int? {
        guard first < queue.count, isDue(queue[first].fixes, queue[first].since) else { return nil }
        let place = queue[first].place
        first += 1
        list[place].isDirty = false
        if first > 4096, first * 2 > queue.count {
            queue.removeFirst(first)
            first = 0
        }
        return place
    }

    /// Forgets a device; the last one gets its place, as with the engine.
    mutating func remove(_ place: Int) {
        let last = list.count - 1
        guard place <= last else { return }
        list.swapAt(place, last)
        list.removeLast()
        queue = queue[first...].compactMap { entry in
            if entry.place == place { return nil }
            return (entry.place == last ? place : entry.place, entry.fixes, entry.since)
        }
        first = 0
        touched.removeAll()
    }
}
