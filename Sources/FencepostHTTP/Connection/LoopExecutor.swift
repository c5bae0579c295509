import NIOCore

/// A task executor that runs tasks on the event loop of a connection.
///
/// A request is handled from the socket to the monitor and back without a switch of threads. Only short work may run on
/// it: all connections of the event loop wait meanwhile.
final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // The closure retains this executor; the job does not.
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
