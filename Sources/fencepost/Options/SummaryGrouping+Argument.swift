public import ArgumentParser
public import FencepostAnalysis

extension SummaryGrouping: ExpressibleByArgument {}
extension SummaryPeriod: ExpressibleByArgument {}

extension DayStart: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}
