public import ArgumentParser
import FencepostModel
import FencepostMonitor
import FencepostService

/// Options of the monitor.
struct MonitorArguments: ParsableArguments {
    @Option(name: .long, help: "Crossing mode of regions without one: raw, confirmed or coreLocation.")
    var crossing: CrossingMode?

    @Option(name: .long, help: "Whether visits are reported: on or off.")
    var visits: Switch?

    @Option(name: .long, help: "Reorder window in seconds: fixes are buffered that long and sorted by time.")
    var reorderWindow: Double?

    func validate() throws {
        if let reorderWindow, !(0...315_360_000).contains(reorderWindow) {
            throw ValidationError("--reorder-window has to be from 0 to 315360000 seconds.")
        }
    }

    enum Switch: String, ExpressibleByArgument, CaseIterable { case on, off }

    func apply(to settings: inout MonitorSettings) {
        if let crossing { settings.crossing = crossing }
        if let reorderWindow { settings.reorderWindow = .milliseconds(Int64(reorderWindow * 1000)) }
        switch visits {
        case .on?: settings.visits = settings.visits ?? VisitSettings()
        case .off?: settings.visits = nil
        case nil: break
        }
    }
}

extension CrossingMode: ExpressibleByArgument {}
