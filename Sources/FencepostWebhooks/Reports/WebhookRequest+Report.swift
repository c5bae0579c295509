import FencepostJSON
import FencepostMessages
import FencepostModel
import FencepostService

extension PendingDelivery {
    /// Whether it is about a report.
    var isReport: Bool { eventType == ServiceEventType.reportReady.rawValue }
}

extension WebhookRequest {
    /// Why a request cannot be made now.
    struct Unavailable: Error {
        var text: String
    }

    /// The request with the file of its report, if it is one for people about a report. A webhook gets the address of the
    /// file, and no file.
    ///
    /// The file is made at each attempt: none is stored, so that nothing of an erased device stays in the outbox.
    func withFile(from source: (any ReportSource)?) async -> Result<WebhookRequest, Unavailable> {
        guard let source, personal != nil, let document = try? JSONDocument(parsing: body),
            document.root["type"]?.string == ServiceEventType.reportReady.rawValue,
            let target = document.root["data"]?["report"]?["path"]?.string
        else { return .success(self) }
        var request = self
        switch await source.file(at: target) {
        case .unavailable(let reason): return .failure(Unavailable(text: reason))
        case .refused(let reason): request.personal?.text.body += "\nThe report cannot be made: \(reason)"
        case .file(var file):
            file.name = Self.name(of: file, document.root["data"]?["report"])
            guard let limit = personal?.kind.largestFile else {
                request.personal?.text.body += "\n" + (personal?.kind.reportProblem ?? "")
                break
            }
            if file.bytes.count > limit {
                request.personal?.text.body +=
                    "\nThe file has \(file.bytes.count / 1_000_000) MB, and at most \(limit / 1_000_000) MB can be sent: "
                    + "download it from the reports of the map page."
            } else {
                request.personal?.file = file
            }
        }
        return .success(request)
    }

    /// The name of a download with the dates of its period, such as `summary-2026-03-09-2026-03-15.csv`.
    private static func name(of file: ReportFile, _ report: JSONElement?) -> String {
        guard let dot = file.name.lastIndex(of: "."), let first = report?["firstDate"]?.string,
            let last = report?["lastDate"]?.string
        else { return file.name }
        return "\(file.name[..<dot])-\(first == last ? first : "\(first)-\(last)")\(file.name[dot...])"
    }
}

extension Endpoint.Kind {
    /// The largest file in bytes; `nil` for kinds that get none.
    ///
    /// Mail servers commonly take 25 MB of base64, ntfy's default is 15 MB and Discord's 10 MB; bots of Telegram may send 50 MB.
    var largestFile: Int? {
        switch self {
        case .email: 18_000_000
        case .ntfy: 15_000_000
        case .discord: 10_000_000
        case .telegram: 50_000_000
        case .webhook, .gotify, .slack, .apprise, .mqtt, .nats, .redis, .amqp, .kafka: nil
        }
    }
}
