import FencepostFormats
import FencepostGeometry
import FencepostJSON
import FencepostModel

/// An object or an array of a file of phones, and where it is, for errors.
struct PhoneRecord {
    let element: JSONElement
    /// The file, the record and the device, as far as they are known.
    let origin: String

    /// The records of a file whose outermost value is an array.
    static func all(in bytes: some Collection<UInt8>, file: String, named name: String) throws -> [PhoneRecord] {
        let root = try self.root(of: bytes, file: file)
        guard let array = root.element.array else { throw root.error("it is not an array") }
        return array.enumerated().map { index, element in
            let device = element["device"]?.string.map { ", device \($0)" } ?? ""
            return PhoneRecord(element: element, origin: "\(file): \(name) \(index)\(device)")
        }
    }

    /// The outermost value of a file.
    static func root(of bytes: some Collection<UInt8>, file: String) throws -> PhoneRecord {
        do throws(JSONSyntaxError) {
            return PhoneRecord(element: try JSONDocument(parsing: bytes).root, origin: file)
        } catch {
            throw BenchmarkError(description: "\(file): \(error)")
        }
    }

    func error(_ message: String) -> BenchmarkError { BenchmarkError(description: "\(origin): \(message)") }

    /// A member that has to be there; it may be `null`.
    private func member(_ name: String) throws -> JSONElement {
        guard let value = element[name] else { throw error("\"\(name)\" is missing") }
        return value
    }

    func text(_ name: String) throws -> String {
        guard let text = try member(name).string else { throw error("\"\(name)\" is not a text") }
        return text
    }

    /// `nil` if the member is `null` or missing.
    func optionalText(_ name: String) throws -> String? {
        guard let value = element[name], !value.isNull else { return nil }
        guard let text = value.string else { throw error("\"\(name)\" is not a text") }
        return text
    }

    /// `nil` if the member is `null` or missing.
    func optionalNumber(_ name: String) throws -> Double? {
        guard let value = element[name], !value.isNull else { return nil }
        guard let number = value.double else { throw error("\"\(name)\" is not a number") }
        return number
    }

    func time(_ name: String) throws -> Timestamp {
        guard let seconds = try member(name).double else {
            throw error("\"\(name)\" is not a number of seconds since 1970")
        }
        return Timestamp(secondsSince1970: seconds)
    }

    /// The span of `start` and `end`.
    var span: TimeSpan {
        get throws {
            let (start, end) = (try time("start"), try time("end"))
            guard start <= end else { throw error("\"end\" is before \"start\"") }
            return TimeSpan(start, end)
        }
    }

    /// The device of a record, which no record before it has.
    func device(_ known: inout Set<DeviceID>) throws -> DeviceID {
        let device = DeviceID(try text("device"))
        guard known.insert(device).inserted else { throw error("another record has this \"device\"") }
        return device
    }

    /// The elements of an array, with their places.
    func elements(_ name: String) throws -> [PhoneRecord] {
        guard let array = try member(name).array else { throw error("\"\(name)\" is not an array") }
        return array.enumerated().map { PhoneRecord(element: $1, origin: "\(origin), \(name)[\($0)]") }
    }

    /// The fixes: arrays of time, latitude, longitude, accuracy, speed, course and altitude, in the order of time.
    func fixes(of device: DeviceID) throws -> [Location] {
        var fixes: [Location] = []
        for record in try elements("fixes") {
            let location = try record.location(of: device)
            if let last = fixes.last, location.timestamp < last.timestamp {
                throw record.error("it is before the fix before it")
            }
            fixes.append(location)
        }
        guard !fixes.isEmpty else { throw error("\"fixes\" is empty") }
        return fixes
    }

    private static let fixMembers = ["time", "latitude", "longitude", "accuracy", "speed", "course", "altitude"]

    private func location(of device: DeviceID) throws -> Location {
        guard let array = element.array, (3...Self.fixMembers.count).contains(array.count) else {
            throw error("it is not an array of 3 to 7 numbers")
        }
        var numbers: [Double?] = []
        for (name, value) in zip(Self.fixMembers, array) {
            guard value.isNull || value.double != nil else { throw error("its \(name) is not a number") }
            numbers.append(value.double)
        }
        numbers += [Double?](repeating: nil, count: Self.fixMembers.count - numbers.count)
        var raw = RawFix()
        raw.deviceID = device
        raw.time = numbers[0].map { .at(Timestamp(secondsSince1970: $0)) } ?? .absent
        (raw.latitude, raw.longitude, raw.horizontalAccuracy) = (numbers[1], numbers[2], numbers[3])
        (raw.speed, raw.course, raw.altitude) = (numbers[4], numbers[5], numbers[6])
        do throws(Rejection) {
            return try FixRules().location(from: raw)
        } catch {
            throw self.error(error.message)
        }
    }
}

extension Timestamp {
    /// The moment at a number of seconds since 1970, to the nearest millisecond.
    init(secondsSince1970 seconds: Double) {
        self.init(milliseconds: Int64(clamped: (seconds * 1000).rounded()))
    }
}
