import FencepostWebhooks
import Synchronization

/// Notifies the dispatcher of new deliveries. The monitor, which notifies, is created before the dispatcher.
final class DispatcherNotification: Sendable {
    private let state = Mutex<WebhookDispatcher?>(nil)

    var dispatcher: WebhookDispatcher? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Does nothing before `dispatcher` is set.
    func post(endpoints: Set<String>) { dispatcher?.notify(endpoints: endpoints) }
}
