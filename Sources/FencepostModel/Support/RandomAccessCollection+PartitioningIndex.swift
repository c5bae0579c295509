extension RandomAccessCollection where Index == Int {
    /// The first index whose element satisfies the predicate, by binary search; `endIndex` if there is none.
    ///
    /// - Precondition: all elements that satisfy the predicate follow all others.
    @inlinable
    package func partitioningIndex(where isInSecondPart: (Element) throws -> Bool) rethrows -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if try isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
