import FencepostModel

// Codes, which are stored and never change.

extension Optional<Occurrence.ExitReason> {
    var code: UInt8 {
        switch self {
        case nil: 0
        case .expired: 1
        case .deleted: 2
        }
    }

    init(code: UInt8) throws(CodecError) {
        let codes: [Self] = [nil, .expired, .deleted]
        guard Int(code) < codes.count else { throw CodecError("a reason is not known") }
        self = codes[Int(code)]
    }
}

extension Alert.State {
    var code: UInt8 {
        switch self {
        case .started: 0
        case .ended: 1
        }
    }

    init(code: UInt8) throws(CodecError) {
        let codes: [Self] = [.started, .ended]
        guard Int(code) < codes.count else { throw CodecError("a state is not known") }
        self = codes[Int(code)]
    }
}
