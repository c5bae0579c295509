/// The id of an event in the stream of all partitions: for each partition the number of its last event that was sent.
struct StreamID: Hashable, Sendable, CustomStringConvertible {
    /// By partition.
    var numbers: [Int64]

    init(_ numbers: [Int64]) { self.numbers = numbers }

    /// The id with a text, as a client sent it; `0` is before all events. `nil` for a text that is no id of a cluster with so
    /// many partitions.
    init?(_ text: String, partitions: Int) {
        if text == "0" {
            self.init(Array(repeating: 0, count: partitions))
            return
        }
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { Int64($0, radix: 36) }
        self.init(numbers)
        guard numbers.count == partitions, numbers.allSatisfy({ $0 >= 0 }), description == text else { return nil }
    }

    var description: String { numbers.map { String($0, radix: 36) }.joined(separator: ".") }
}
