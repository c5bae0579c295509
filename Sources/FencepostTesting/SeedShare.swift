import Foundation

/// The seeds, or other cases, of a long test that this run has: all of them, or a share of them.
///
/// `SEEDS_OF_TESTS=2/4` is the second quarter, as `make test` takes one by the commit; without it a run has all, as
/// `make test-all` does.
public enum SeedShare {
    /// The share of the environment; all of it when that names none.
    private static let current: (part: Int, count: Int) = {
        guard let text = ProcessInfo.processInfo.environment["SEEDS_OF_TESTS"] else { return (1, 1) }
        let numbers = text.split(separator: "/").compactMap { Int($0) }
        guard numbers.count == 2, numbers[1] > 0, (1...numbers[1]).contains(numbers[0]) else {
            fatalError("SEEDS_OF_TESTS is \(text), and no share such as 2/4")
        }
        return (numbers[0], numbers[1])
    }()

    /// Which of some cases this run has: at least one where there is any.
    ///
    /// - Parameter cases: all cases, in an order that does not change.
    /// - Returns: those of the share, in their order.
    public static func of<Cases: Collection>(_ cases: Cases) -> [Cases.Element] {
        of(cases, part: current.part, count: current.count)
    }

    /// The share of some cases that a part of several has.
    package static func of<Cases: Collection>(_ cases: Cases, part: Int, count: Int) -> [Cases.Element] {
        let offset = (part - 1) % max(1, min(count, cases.count))
        return cases.enumerated().filter { $0.offset % count == offset }.map(\.element)
    }
}
