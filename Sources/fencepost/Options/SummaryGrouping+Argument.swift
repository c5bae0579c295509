public import ArgumentParser
import FencepostAnalysis

extension SummaryGrouping: ExpressibleByArgument {}
extension SummaryPeriod: ExpressibleByArgument {}
