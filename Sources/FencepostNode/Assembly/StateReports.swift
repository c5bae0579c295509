import FencepostModel
import FencepostService
import Logging

/// Log lines about states that last: one when a state begins, one when it ends.
struct StateReports {
    let logger: Logger
    private var wasBelievable = true
    private var wasMoved = false
    private var isRetentionHeld = false

    init(logger: Logger) {
        self.logger = logger
    }

    mutating func report(clock status: ClockStatus, steps: [ClockStep]) {
        for step in steps {
            switch step {
            case .becameBelievable(let difference):
                logger.info("clock set", metadata: ["seconds": .stringConvertible(difference.seconds)])
            case .ahead(let difference):
                logger.warning(
                    "clock set far ahead; taken at once",
                    metadata: ["seconds": .stringConvertible(difference.seconds)])
            }
        }
        if case .notBelievable(let wall, let floor) = status, wasBelievable {
            logger.error(
                "clock not set; locations are refused until it is",
                metadata: ["clock": "\(wall.rfc3339)", "notBefore": "\(floor.rfc3339)"])
        }
        wasBelievable = status.isBelievable
    }

    mutating func report(misplacement: String?) {
        if let misplacement, !wasMoved {
            logger.error("database file moved", metadata: ["problem": "\(misplacement)"])
        } else if misplacement == nil, wasMoved {
            logger.info("database file is back")
        }
        wasMoved = misplacement != nil
    }

    mutating func report(retention decision: RetentionGuard.Decision) {
        switch decision {
        case .run, .skip: isRetentionHeld = false
        case .runBehind(let time, let clock):
            guard !isRetentionHeld else { return }
            isRetentionHeld = true
            logger.warning(
                "retention is delayed: the clock is far ahead of the newest location",
                metadata: ["clock": "\(clock.rfc3339)", "countedFrom": "\(time.rfc3339)"])
        }
    }
}
