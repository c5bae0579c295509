import FencepostFormats
import FencepostModel

/// Lists of geometries and of cells, without names.
enum TextPlaces {
    /// Well-known text: one geometry after the other. Traccar writes the latitude first.
    static func wellKnownText(_ bytes: [UInt8], isTraccar: Bool) -> PlaceReading {
        var reading = PlaceReading()
        var scanner = WKTScanner(String(decoding: bytes, as: UTF8.self))
        var found: [WKTScanner.Found] = []
        while scanner.findNext() {
            do throws(WKTScanner.Failure) {
                let geometries = try scanner.geometries()
                if geometries.isEmpty { reading.ignore("geometries without positions") }
                found += geometries
            } catch {
                reading.refuse("The geometry is left out: \(error.message).", at: .line(error.line))
                scanner.skipLine()
            }
        }
        let swaps =
            isTraccar || found.contains { $0.radius != nil } || found.contains { $0.geometry.hasLatitudeBeyondPole }
        if swaps, !found.isEmpty {
            reading.notes.append("the latitude comes first, as Traccar writes well-known text")
        }
        for one in found {
            var place = Place(swaps ? one.geometry.swapped : one.geometry, at: .line(one.line))
            place.radius = one.radius
            reading.places.append(place)
        }
        return reading
    }

    /// Well-known binary: bytes, or a geometry in hexadecimal digits on each line.
    static func wellKnownBinary(_ bytes: [UInt8]) -> PlaceReading {
        var reading = PlaceReading()
        func take(_ geometry: [UInt8], line: Int) {
            var reader = WKBReader(geometry)
            while !reader.isAtEnd {
                do throws(WKBReader.Failure) {
                    reading.places += try reader.geometries().map { Place($0, at: .line(line)) }
                } catch {
                    return reading.refuse("The geometry is left out: \(error.message).", at: .line(line))
                }
            }
        }
        if let first = bytes.first, first <= 1 {
            take(bytes, line: 1)
            return reading
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let text = line.trimmed.filter { !"\",;'".contains($0) }
            guard !text.isEmpty else { continue }
            if let geometry = WKBReader.bytes(hex: text) {
                take(geometry, line: index + 1)
            } else {
                reading.refuse(
                    "The line is left out: it has other characters than hexadecimal digits.", at: .line(index + 1))
            }
        }
        return reading
    }

    /// Geohashes, with white space, commas or semicolons between them. Each is the id of its cell.
    static func geohashes(_ bytes: [UInt8]) -> PlaceReading {
        var reading = PlaceReading()
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            for word in line.split(whereSeparator: { $0.isWhitespace || ",;\"".contains($0) }) {
                do throws(Rejection) {
                    var place = Place(try Geohash.polygon(String(word)), at: .line(index + 1))
                    place.id = word.lowercased()
                    reading.places.append(place)
                } catch {
                    reading.refuse("A cell is left out: \(error.message).", at: .line(index + 1))
                }
            }
        }
        return reading
    }
}
