import NIOCore

/// Runs tasks on the event loop of a connection.
///
/// A request then goes from its bytes to the monitor, and its answer back to the socket, without waking another thread on
/// the way. Only for what takes little time: as long as it runs, all connections of that loop wait.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // Holds on to this executor, of which the job does not.
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
