package import FencepostOperation
package import FencepostService
import Logging

/// Logging of the process.
package enum Logs {
    /// Sets up logging.
    ///
    /// - Parameters:
    ///   - settings: the settings.
    ///   - isTerminal: whether people read the log as it is written: by default it is text for them, and JSON for programs.
    /// - Returns: the level, which can be changed.
    /// - Precondition: called once per process.
    package static func bootstrap(_ settings: LogSettings, isTerminal: Bool) -> SharedLogLevel {
        let level = SharedLogLevel(settings.level.level)
        let style: LineLogHandler.Style =
            switch settings.format {
            case .json?: .json
            case .text?: .text
            case nil: isTerminal ? .text : .json
            }
        LoggingSystem.bootstrap { label in
            LineLogHandler(label: label, style: style, level: level, now: { WallClock.now })
        }
        return level
    }
}

extension LogSettings.Level {
    var level: Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}
