"""One day each in the four forms of Google's location history: home, a way to another place, there until noon, back."""

import json
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from service import offset

# The bakery is no region, so that only the files know its name.
HOME = (38.7169, -9.1399)
BAKERY = offset(*HOME, 900, 1400)
WORK = offset(*HOME, -1500, 700)

# Minutes after midnight: home until 8:00, there from 8:20 to 12:00, home again from 12:20 to 22:00.
LEAVES, ARRIVES, LEAVES_AGAIN, IS_BACK, END = 8 * 60, 8 * 60 + 20, 12 * 60, 12 * 60 + 20, 22 * 60


def moment(day, minute):
    return day + timedelta(minutes=minute)


def iso(day, minute):
    return moment(day, minute).astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def e7(degrees):
    return round(degrees * 10_000_000)


def between(start, end, fraction):
    return tuple(a + (b - a) * fraction for a, b in zip(start, end))


def position_at(minute, place):
    if minute <= LEAVES or minute >= IS_BACK:
        return HOME
    if minute < ARRIVES:
        return between(HOME, place, (minute - LEAVES) / (ARRIVES - LEAVES))
    return place if minute <= LEAVES_AGAIN else between(place, HOME, (minute - LEAVES_AGAIN) / (IS_BACK - LEAVES_AGAIN))


def records(day, place=WORK):
    """Records.json: recorded positions, every 2 minutes on the way, every 10 minutes elsewhere."""
    ways = [*range(LEAVES, ARRIVES + 1, 2), *range(LEAVES_AGAIN, IS_BACK + 1, 2)]
    minutes = sorted({*range(0, END + 1, 10), *ways})
    return "Records.json", json.dumps({"locations": [
        {"latitudeE7": e7(latitude), "longitudeE7": e7(longitude), "accuracy": 12, "timestamp": iso(day, minute)}
        for minute in minutes for latitude, longitude in [position_at(minute, place)]]})


def semantic(day, place=BAKERY, name="Bakery Müller"):
    """A month of Semantic Location History: visits with names, and ways."""
    def point(position):
        return {"latitudeE7": e7(position[0]), "longitudeE7": e7(position[1])}

    def visit(position, start, end, **names):
        return {"placeVisit": {"location": point(position) | names | {"placeId": "x"}, "duration": {
            "startTimestamp": iso(day, start), "endTimestamp": iso(day, end)}}}

    def way(start, end, since, until):
        steps = [between(start, end, step / 10) for step in range(11)]
        return {"activitySegment": {
            "startLocation": point(start), "endLocation": point(end), "activityType": "WALKING",
            "duration": {"startTimestamp": iso(day, since), "endTimestamp": iso(day, until)},
            "simplifiedRawPath": {"points": [
                {"latE7": e7(latitude), "lngE7": e7(longitude), "accuracyMeters": 10,
                 "timestamp": iso(day, since + (until - since) * step / 10)}
                for step, (latitude, longitude) in enumerate(steps)]}}}

    return "2026_MARCH.json", json.dumps({"timelineObjects": [
        visit(HOME, 0, LEAVES, semanticType="TYPE_HOME"), way(HOME, place, LEAVES, ARRIVES),
        visit(place, ARRIVES, LEAVES_AGAIN, name=name), way(place, HOME, LEAVES_AGAIN, IS_BACK),
        visit(HOME, IS_BACK, END, semanticType="TYPE_HOME")]})


def android(day, place=WORK, kind="WORK"):
    """Timeline.json of an Android phone."""
    def text(position):
        return f"{position[0]:.7f}°, {position[1]:.7f}°"

    def visit(position, start, end, semantic_type):
        return {"startTime": iso(day, start), "endTime": iso(day, end), "visit": {
            "hierarchyLevel": 0, "probability": 0.9, "topCandidate": {
                "placeId": "x", "semanticType": semantic_type, "probability": 0.8,
                "placeLocation": {"latLng": text(position)}}}}

    def way(start, end, since, until):
        return [
            {"startTime": iso(day, since), "endTime": iso(day, until), "timelinePath": [
                {"point": text(between(start, end, step / 10)), "time": iso(day, since + (until - since) * step / 10)}
                for step in range(11)]},
            {"startTime": iso(day, since), "endTime": iso(day, until), "activity": {
                "start": {"latLng": text(start)}, "end": {"latLng": text(end)},
                "topCandidate": {"type": "IN_PASSENGER_VEHICLE", "probability": 0.9}}}]

    return "Timeline.json", json.dumps({"semanticSegments": [
        visit(HOME, 0, LEAVES, "HOME"), *way(HOME, place, LEAVES, ARRIVES),
        visit(place, ARRIVES, LEAVES_AGAIN, kind), *way(place, HOME, LEAVES_AGAIN, IS_BACK),
        visit(HOME, IS_BACK, END, "HOME")], "rawSignals": []}, ensure_ascii=False)


def ios(day, place=WORK, kind="Work"):
    """location-history.json of an iPhone."""
    def text(position):
        return f"geo:{position[0]:.6f},{position[1]:.6f}"

    def visit(position, start, end, semantic_type):
        return {"startTime": iso(day, start), "endTime": iso(day, end), "visit": {
            "hierarchyLevel": "0", "probability": "0.9", "topCandidate": {
                "probability": "0.8", "semanticType": semantic_type, "placeID": "x", "placeLocation": text(position)}}}

    def way(start, end, since, until):
        return [
            {"startTime": iso(day, since), "endTime": iso(day, until), "timelinePath": [
                {"point": text(between(start, end, step / 10)),
                 "durationMinutesOffsetFromStartTime": str(round((until - since) * step / 10))} for step in range(11)]},
            {"startTime": iso(day, since), "endTime": iso(day, until), "activity": {
                "start": text(start), "end": text(end), "probability": "0.9", "distanceMeters": "1700",
                "topCandidate": {"type": "cycling", "probability": "0.9"}}}]

    return "location-history.json", json.dumps([
        visit(HOME, 0, LEAVES, "Home"), *way(HOME, place, LEAVES, ARRIVES),
        visit(place, ARRIVES, LEAVES_AGAIN, kind), *way(place, HOME, LEAVES_AGAIN, IS_BACK),
        visit(HOME, IS_BACK, END, "Home")])


FORMS = {"Records.json": records, "Semantic Location History": semantic, "Android": android, "iOS": ios}


def days(count):
    """The starts of so many days, the last of which is a week ago, in the time zone of the tests' windows."""
    today = datetime.now(ZoneInfo("Europe/Lisbon")).replace(hour=0, minute=0, second=0, microsecond=0)
    return [today - timedelta(days=6 + count - index) for index in range(count)]
