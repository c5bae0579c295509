import AsyncHTTPClient
import FencepostHTTP
import FencepostModel
public import FencepostService
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Turns endpoints off in the configuration of a cluster that the dispatcher of a partition has turned off.
struct EndpointSwitch {
    /// The largest endpoint in a message, in bytes.
    static let limit = 1 << 20

    let store: any EndpointStore
    let services: any EndpointServices

    /// Turns an endpoint off, unless it was changed or turned on in the meantime.
    ///
    /// - Parameter bytes: the endpoint as the partition has it, in JSON.
    /// - Throws: when the bytes are no endpoint, or the store does not write.
    func turnOff(_ bytes: [UInt8]) async throws {
        let disabled = try JSONDecoder().decode(Endpoint.self, from: Data(bytes))
        guard let known = try await store.endpoint(id: disabled.id)?.endpoint, known.isActive, !disabled.isActive else {
            return
        }
        var expected = known
        expected.state = disabled.state
        guard expected == disabled, try await store.replace(known, with: disabled) else { return }
        try await services.endpointsDidChange()
    }
}

extension NodeRouter {
    /// Turns an endpoint off in the cluster's configuration, as a partition has.
    ///
    /// - Parameter endpoint: as the partition has it.
    /// - Throws: when the leader of the configuration has not done it; the call may be repeated.
    public func turnOff(_ endpoint: Endpoint) async throws {
        let part = partitions.configuration
        let bytes = Array(try JSONEncoder().encode(endpoint))
        if try await api(of: part)?.turnOff(bytes) == true { return }
        let current = target(part)
        guard case .node(let url) = current else {
            throw Problem.notLeading("No node leads the configuration.")
        }
        let message = NodeMessage(
            node: url, target: PartitionPaths.endpoint, method: .POST, body: ByteBuffer(bytes: bytes),
            signature: NodeSignature(client: Forwarding.ownClient, part: part, body: bytes))
        let answer = try await forwarder.content(
            of: message, limit: 1024, while: { [self] in target(part) == current || target(part) == .none })
        guard answer != nil else { throw Problem.notLeading("The leader of the configuration has not answered.") }
    }
}
