import FencepostAppCommands
import FencepostFormats

extension ExitStatus {
    /// The exit code after an input that cannot be read.
    init(_ error: ByteSourceError) {
        self = error.isNoSuchFile ? .noInput : error.isPermissionDenied ? .noPermission : .inputOutput
    }
}
