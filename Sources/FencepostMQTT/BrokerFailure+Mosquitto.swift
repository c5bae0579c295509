import CMosquitto
import FencepostService

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension BrokerFailure {
    /// The failure of a call of libmosquitto.
    ///
    /// - Parameters:
    ///   - code: what the call returned.
    ///   - number: `errno` after it.
    ///   - isAccepted: whether the broker had accepted the connection.
    init(code: Int32, _ number: Int32, isAccepted: Bool) {
        let text = String(cString: mosquitto_strerror(code))
        switch code {
        case MOSQ_ERR_EAI.code, MOSQ_ERR_LOOKUP.code: self.init(.noSuchHost)
        case MOSQ_ERR_TLS.code, MOSQ_ERR_TLS_HANDSHAKE.code: self.init(.tls)
        case MOSQ_ERR_ERRNO.code:
            let reason: Reason =
                switch number {
                case ETIMEDOUT: .timeout
                case ECONNRESET, EPIPE: isAccepted ? .lost : .noBroker
                default: isAccepted ? .lost : .unreachable
                }
            self.init(reason, String(cString: strerror(number)))
        case MOSQ_ERR_CONN_REFUSED.code: self.init(.refused)
        case MOSQ_ERR_PROTOCOL.code, MOSQ_ERR_MALFORMED_PACKET.code, MOSQ_ERR_NOT_SUPPORTED.code:
            self.init(.noBroker, text)
        // What listens there has closed the connection at the first message.
        case MOSQ_ERR_CONN_LOST.code, MOSQ_ERR_NO_CONN.code: self.init(isAccepted ? .lost : .noBroker)
        case MOSQ_ERR_KEEPALIVE.code, MOSQ_ERR_TIMEOUT.code: self.init(.timeout)
        // All others are about memory or arguments.
        default: self.init(.lost, text)
        }
    }

    /// The failure that a broker's CONNACK states.
    init(answer: Int32) {
        switch answer {
        case 1: self.init(.noBroker, "it knows another version of MQTT only")
        case 3: self.init(.unreachable, "it takes no connections at present")
        // 2 is about the client id, 4 and 5 are about the user.
        default: self.init(.refused, String(cString: mosquitto_connack_string(answer)))
        }
    }
}
