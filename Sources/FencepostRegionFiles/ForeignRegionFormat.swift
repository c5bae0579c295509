import FencepostJSON

/// A format in which other programs keep regions. It is not read: a message names it, and says how to make GeoJSON of it.
enum ForeignRegionFormat {
    case xml, kml, gpx, wkt, geoJSONLines, traccar, featureArray, ownTracks, topoJSON, esri

    /// What a file that is no JSON is; `nil` for none of these.
    init?(bytes: some Collection<UInt8>) {
        let start = String(decoding: bytes.prefix(4096), as: UTF8.self)
            .drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if start.hasPrefix("<") {
            self = start.contains("<kml") ? .kml : start.contains("<gpx") ? .gpx : .xml
            return
        }
        let word = start.prefix { $0.isLetter }.lowercased()
        if ["polygon", "multipolygon", "circle", "linestring", "multilinestring", "point", "srid"].contains(word),
            start.dropFirst(word.count).contains(where: { "(=".contains($0) })
        {
            self = .wkt
            return
        }
        // One text of JSON after the other; RFC 8142 puts a record separator before each.
        let lines = start.split(omittingEmptySubsequences: true) { $0.isNewline || $0 == "\u{1E}" }
        guard lines.count > 1, lines.prefix(2).allSatisfy({ $0.hasPrefix("{") }), lines[0].contains("\"Feature\"")
        else {
            return nil
        }
        self = .geoJSONLines
    }

    /// What a document of JSON that is neither a Feature nor a FeatureCollection is; `nil` for none of these.
    init?(_ root: JSONElement) {
        if let first = root.array.flatMap({ Array($0).first }) {
            if first["area"] != nil {
                self = .traccar
            } else if first["type"]?.string == "Feature" {
                self = .featureArray
            } else if first["_type"] != nil || first["tst"] != nil {
                self = .ownTracks
            } else {
                return nil
            }
        } else if root["_type"] != nil || root["waypoints"] != nil {
            self = .ownTracks
        } else if root["area"] != nil {
            self = .traccar
        } else if root["type"]?.string == "Topology" {
            self = .topoJSON
        } else if root["rings"] != nil || root["geometryType"] != nil || root["spatialReference"] != nil {
            self = .esri
        } else {
            return nil
        }
    }

    /// What the file is and how to convert it.
    var message: String {
        let wanted = "A region file is GeoJSON."
        let convert = "Convert it, for example with ogr2ogr -f GeoJSON -lco RFC7946=YES regions.geojson FILE."
        return switch self {
        case .xml: "This is XML. \(wanted) \(convert)"
        case .kml: "This is KML, as of Google My Maps and Google Earth. \(wanted) \(convert)"
        case .gpx: "This is GPX. \(wanted) \(convert)"
        case .wkt:
            "This is well-known text (WKT), as Traccar stores geofences. \(wanted) Give each one an id as a Feature; Traccar writes "
                + "the latitude first, GeoJSON the longitude, and a CIRCLE is a Point with the property \"radius\" in metres."
        case .geoJSONLines:
            "These are lines of GeoJSON, one Feature each. Put them into one FeatureCollection: "
                + #"jq -s '{type:"FeatureCollection",features:.}' FILE > regions.geojson."#
        case .traccar:
            "These are geofences of Traccar, whose \"area\" is well-known text with the latitude first. \(wanted) Make a Feature of "
                + "each, with the longitude first; a CIRCLE is a Point with the property \"radius\" in metres."
        case .featureArray:
            "These Features are in an array. Put them into the \"features\" of a FeatureCollection: "
                + #"jq '{type:"FeatureCollection",features:.}' FILE > regions.geojson."#
        case .ownTracks:
            "These are waypoints of OwnTracks. \(wanted) Make a Feature of each: a Point at \"lon\", \"lat\" with the property "
                + "\"radius\" from \"rad\" in metres and an id."
        case .topoJSON: "This is TopoJSON. \(wanted) \(convert)"
        case .esri: "This is JSON of ArcGIS. \(wanted) Download it as GeoJSON, or convert it: ogr2ogr reads it too."
        }
    }
}
