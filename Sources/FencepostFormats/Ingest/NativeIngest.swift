internal import FencepostJSON
internal import FencepostModel

/// Decodes Fencepost's own location format (rule I5).
public enum NativeIngest {
    /// Decodes `{"locations":[…]}`, an array of locations, or one location.
    ///
    /// - Throws: `invalid_json`; `invalid_shape` for anything else; `too_many_locations`.
    public static func decode(
        json body: some Collection<UInt8>, rules: FixRules, limit: Int = IngestRequest.defaultLimit
    ) throws(Rejection) -> IngestRequest {
        let root = try IngestJSON.parse(body)
        if let array = root.array { return try decode(array, rules: rules, limit: limit) }
        guard let object = root.object else { throw IngestJSON.notAnObject }
        if let locations = root["locations"] {
            guard let array = locations.array else { throw Rejection(.invalidShape, "locations is not an array") }
            return try decode(array, rules: rules, limit: limit)
        }
        guard !NativeShape.members(of: object).isEmpty else {
            throw Rejection(.invalidShape, "the body is neither a location nor an object with an array of locations")
        }
        var names = DeviceNames()
        var request = IngestRequest()
        take(root, at: 0, rules: rules, names: &names, into: &request)
        return request
    }

    private static func decode(_ array: JSONArray, rules: FixRules, limit: Int) throws(Rejection) -> IngestRequest {
        let count = array.count
        try IngestRequest.check(count: count, limit: limit)
        var names = DeviceNames()
        var request = IngestRequest()
        request.locations.reserveCapacity(count)
        for (index, element) in array.enumerated() {
            take(element, at: index, rules: rules, names: &names, into: &request)
        }
        return request
    }

    private static func take(
        _ element: JSONElement, at index: Int, rules: FixRules, names: inout DeviceNames,
        into request: inout IngestRequest
    ) {
        do throws(Rejection) {
            request.take(try RawFix(native: element, names: &names), at: index, rules: rules)
        } catch {
            request.reject(error, at: index, device: device(of: element, &names) ?? rules.defaultDevice)
        }
    }

    /// The device of a record, for the list of rejections.
    private static func device(of element: JSONElement, _ names: inout DeviceNames) -> DeviceID? {
        guard let object = element.object, let name = NativeShape.members(of: object)["deviceId"]?.utf8 else {
            return nil
        }
        return try? names.device(named: name)
    }

    /// Decodes lines of JSON, one location each; blank lines are not records.
    ///
    /// - Throws: `too_many_locations`.
    public static func decode(
        ndjson body: some Collection<UInt8>, rules: FixRules, limit: Int = IngestRequest.defaultLimit
    ) throws(Rejection) -> IngestRequest {
        var decoder = LineDecoder(rules, names: DeviceNames(capacity: .max))
        if let result = body.withContiguousStorageIfAvailable({ lines(of: $0, with: &decoder, limit: limit) }) {
            return try result.get()
        }
        return try Array(body).withUnsafeBufferPointer { lines(of: $0, with: &decoder, limit: limit) }.get()
    }

    static func lines(
        of body: UnsafeBufferPointer<UInt8>, with decoder: inout LineDecoder, limit: Int
    ) -> Result<IngestRequest, Rejection> {
        let rules = decoder.rules
        var names = DeviceNames()
        var request = IngestRequest()
        var count = 0
        decoder.read(body) { locations in
            count += locations.count
            if request.locations.isEmpty { request.locations = locations } else { request.locations += locations }
        } other: { line, decoder in
            guard line.isTooLong || !line.isBlank else { return }
            defer { count += 1 }
            guard count < limit else { return }
            guard !line.isTooLong else {
                request.reject(.lineTooLong, at: count, device: rules.defaultDevice)
                return
            }
            do throws(Rejection) {
                request.locations.append(try decoder.location(of: line))
            } catch {
                // Parsed again to find the device for the list of rejections.
                guard let element = try? IngestJSON.parse(line.bytes) else {
                    request.reject(error, at: count, device: rules.defaultDevice)
                    return
                }
                Self.take(element, at: count, rules: rules, names: &names, into: &request)
            }
        }
        request.dropped.add(decoder.takeDropped())
        do throws(Rejection) {
            try IngestRequest.check(count: count, limit: limit)
            return .success(request)
        } catch {
            return .failure(error)
        }
    }

    /// Decodes GeoJSON (RFC 7946): points with a time in their properties, lines with a time for each position.
    ///
    /// - Throws: `invalid_json`; `invalid_shape` for anything but GeoJSON; `too_many_locations`, which counts positions
    ///   too.
    public static func decode(
        geojson body: some Collection<UInt8>, rules: FixRules, limit: Int = IngestRequest.defaultLimit
    ) throws(Rejection) -> IngestRequest {
        let root = try IngestJSON.parse(body)
        guard root.object != nil else { throw IngestJSON.notAnObject }
        var shape = GeoJSONShape()
        var sink = RecordSink(DecoderContext(rules: rules), limit: limit)
        var hasFeatures = false
        for member in root.object.map(Array.init) ?? [] {
            guard member.name == "features", let features = member.value.array else {
                shape.take(member: member.name, member.value)
                continue
            }
            hasFeatures = true
            try IngestRequest.check(count: features.count, limit: limit)
            for feature in features {
                do throws(Rejection) {
                    try shape.take(feature, of: "features", into: &sink)
                } catch {
                    sink.append(error)
                }
            }
        }
        try shape.finish(hasArrays: hasFeatures, into: &sink)
        try IngestRequest.check(count: sink.count, limit: limit)
        var request = IngestRequest()
        request.dropped = sink.context.dropped.members
        for record in sink.records {
            switch record {
            case .location(let location, _): request.locations.append(location)
            case .reported(let report, _): request.reports.append(report)
            case .rejected(let diagnostic):
                guard case .index(let index) = diagnostic.position, let code = RejectionCode(rawValue: diagnostic.code)
                else { continue }
                request.reject(
                    Rejection(code, diagnostic.message), at: index,
                    device: sink.devices[index] ?? rules.defaultDevice)
            case .gap: break
            }
        }
        return request
    }
}
