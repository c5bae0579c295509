import CCurl
import Foundation
import Synchronization

/// The thread on which libcurl makes the transfers of one client.
///
/// Only this thread touches libcurl's handles. Others leave their wishes in the mailbox and wake it.
final class TransferLoop: Sendable {
    /// What waits for the thread.
    private struct Mailbox {
        enum Life {
            case idle, running, stopping, ended
        }

        var life = Life.idle
        var added: [(Transfer, CheckedContinuation<HTTPClientResult, Never>)] = []
        /// Whether a transfer was cancelled since the last look.
        var hasCancellation = false
    }

    /// libcurl's set of transfers. Other threads than the loop's only call `curl_multi_wakeup`.
    private struct Handle: @unchecked Sendable {  // because libcurl allows that call at any time
        let pointer: UnsafeMutableRawPointer?
    }

    private let mailbox = Mutex(Mailbox())
    private let multi: Handle
    private let authorities: String?

    init(authorities: String?) {
        self.authorities = authorities
        multi = Handle(pointer: Curl.isReady ? curl_multi_init() : nil)
        fencepost_curl_multi_set_number(multi.pointer, CURLMOPT_MAXCONNECTS, 256)
    }

    deinit {
        // The thread keeps the loop alive, so it has ended, or never began.
        if let pointer = multi.pointer { curl_multi_cleanup(pointer) }
    }

    func add(_ transfer: Transfer, continuation: CheckedContinuation<HTTPClientResult, Never>) {
        let (isTaken, isFirst) = mailbox.withLock { mailbox -> (Bool, Bool) in
            switch mailbox.life {
            case .idle:
                mailbox.life = .running
                mailbox.added.append((transfer, continuation))
                return (true, true)
            case .running:
                mailbox.added.append((transfer, continuation))
                return (true, false)
            case .stopping, .ended: return (false, false)
            }
        }
        guard isTaken, multi.pointer != nil else {
            return continuation.resume(returning: HTTPClientResult(failure: .connect))
        }
        if isFirst {
            let thread = Thread { self.run() }
            thread.name = "fencepost-http"
            thread.start()
        } else {
            wake()
        }
    }

    func cancel(_ transfer: Transfer) {
        // The flag stays with the transfer, which may not have been added yet.
        transfer.isCancelled.store(true, ordering: .sequentiallyConsistent)
        mailbox.withLock { $0.hasCancellation = true }
        wake()
    }

    func stop() {
        mailbox.withLock { mailbox in
            switch mailbox.life {
            case .idle: mailbox.life = .ended
            case .running: mailbox.life = .stopping
            case .stopping, .ended: break
            }
        }
        wake()
    }

    private func wake() {
        if let pointer = multi.pointer { curl_multi_wakeup(pointer) }
    }

    // MARK: On the thread

    private func run() {
        guard let multi = multi.pointer else { return }
        var active: [UnsafeMutableRawPointer: (Transfer, CheckedContinuation<HTTPClientResult, Never>)] = [:]
        while take(into: &active, multi) {
            var count: Int32 = 0
            curl_multi_perform(multi, &count)
            var left: Int32 = 0
            while let message = curl_multi_info_read(multi, &left) {
                guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
                finish(handle, message.pointee.data.result, &active, multi)
            }
            curl_multi_poll(multi, nil, 0, 60_000, nil)
        }
    }

    /// Takes what the mailbox has.
    ///
    /// - Returns: `false` when the loop is stopped and nothing is left to do.
    private func take(
        into active: inout [UnsafeMutableRawPointer: (Transfer, CheckedContinuation<HTTPClientResult, Never>)],
        _ multi: UnsafeMutableRawPointer
    ) -> Bool {
        let (added, hasCancellation, goesOn) = mailbox.withLock { mailbox in
            let taken = (mailbox.added, mailbox.hasCancellation)
            mailbox.added = []
            mailbox.hasCancellation = false
            let goesOn = mailbox.life != .stopping || !active.isEmpty || !taken.0.isEmpty
            if !goesOn { mailbox.life = .ended }
            return (taken.0, taken.1, goesOn)
        }
        for (transfer, continuation) in added {
            guard !transfer.isCancelled.load(ordering: .sequentiallyConsistent) else {
                continuation.resume(returning: HTTPClientResult(failure: .timeout))
                continue
            }
            guard let handle = transfer.start(authorities: authorities) else {
                continuation.resume(returning: HTTPClientResult(failure: .request))
                continue
            }
            active[handle] = (transfer, continuation)
            curl_multi_add_handle(multi, handle)
        }
        if hasCancellation {
            for (handle, entry) in active where entry.0.isCancelled.load(ordering: .sequentiallyConsistent) {
                finish(handle, CURLE_ABORTED_BY_CALLBACK, &active, multi)
            }
        }
        return goesOn
    }

    private func finish(
        _ handle: UnsafeMutableRawPointer, _ code: CURLcode,
        _ active: inout [UnsafeMutableRawPointer: (Transfer, CheckedContinuation<HTTPClientResult, Never>)],
        _ multi: UnsafeMutableRawPointer
    ) {
        guard let (transfer, continuation) = active.removeValue(forKey: handle) else { return }
        let result = transfer.result(code, of: handle)
        curl_multi_remove_handle(multi, handle)
        transfer.end(handle)
        continuation.resume(returning: result)
    }
}
