"""Streams of 2 GB without a line ending, through `fencepost watch`: long_lines.py PROGRAM [SIZE in GB]

Each kind ends with a sentence, and the memory of the program does not grow with the size. What is good around the long
part is read. Not a part of `make test`, because it takes a minute.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

GOOD = b'{"deviceId":"a","timestamp":"2026-03-01T08:30:00Z","lat":48,"lon":11}'
LATER = GOOD.replace(b"30:00", b"31:00")
POINT = b'<trkpt lat="48" lon="11"><time>2026-03-01T08:3%d:00Z</time>'
# The part before, what is repeated, the part behind; the locations that are read, and words of the sentence.
KINDS = {
    "nothing but x": (b"", b"x", b"", 0, "the row is longer than 64 KiB: a table has"),
    "zeroes": (b"", b"\0", b"", 0, "this is a binary file"),
    "CSV": (
        b"time,lat,lon\n2026-03-01T08:30:00Z,48,11\n",
        b"1,",
        b"\n2026-03-01T08:31:00Z,48,11\n",
        2,
        "the row is longer than 64 KiB",
    ),
    "CSV, an open quote": (
        b'time,lat,lon\n2026-03-01T08:30:00Z,48,11\n"',
        b"abc\n",
        b"",
        1,
        "a quotation mark in it may have no second one",
    ),
    "NDJSON": (GOOD + b'\n{"a":"', b"y", b'"}\n' + LATER + b"\n", 2, "the line is longer than 64 KiB"),
    "JSON": (b'{"locations":[' + GOOD + b',{"a":"', b"y", b'"},' + LATER + b"]}", 2, "more than 16 MiB"),
    "GPX": (
        b"<gpx version='1.1'><trk><trkseg>" + POINT % 0 + b"<desc>",
        b"z",
        b"</desc></trkpt>" + POINT % 1 + b"</trkpt></trkseg></trk></gpx>",
        2,
        "",
    ),
    "GPX, an attribute": (b"<gpx version='1.1'><trk name='", b"z", b"'/></gpx>", 0, "start tag is longer than"),
    "NMEA": (
        b"$GPRMC,083000,A,4806.0,N,01130.0,E,0.0,0.0,010326,,*1A\n$GP",
        b"1",
        b"\n",
        1,
        "the line is longer than 64 KiB",
    ),
}
MEMORY = 160 << 20


def feed(stream, before, repeated, behind, size):
    block = repeated * ((1 << 20) // len(repeated))
    try:
        stream.write(before)
        for _ in range(size // len(block)):
            stream.write(block)
        stream.write(behind)
        stream.close()
    except BrokenPipeError:
        pass


def checksum(text):
    """The part before with the right checksum of its sentence."""

    def right(match):
        value = 0
        for byte in match[1]:
            value ^= byte
        return b"$%s*%02X" % (match[1], value)

    return re.sub(rb"\$([^*\n]*)\*[0-9A-F]{2}", right, text)


def main():
    program, size = sys.argv[1], int(float(sys.argv[2] if len(sys.argv) > 2 else 2) * (1 << 30))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "regions.geojson").write_text(
            '{"type":"Feature","id":"a","properties":{"radius":5},"geometry":{"type":"Point","coordinates":[11,48]}}'
        )
        for kind, (before, repeated, behind, locations, words) in KINDS.items():
            summary = folder / "summary.json"
            process = subprocess.Popen(
                [program, "watch", "--regions", str(folder / "regions.geojson"), "--summary", str(summary), "--force"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            feeder = threading.Thread(target=feed, args=(process.stdin, checksum(before), repeated, behind, size))
            feeder.start()
            said = process.stderr.read().decode()
            process.wait()
            feeder.join()
            found = json.loads(summary.read_text())
            if words not in said or found["accepted"] != locations or found["peakMemoryBytes"] > MEMORY:
                sys.exit(f"{kind}: {found['accepted']} locations, {found['peakMemoryBytes'] >> 20} MiB\n{said[-600:]}")
            print(
                f"{kind}: {found['accepted']} read, {found['peakMemoryBytes'] >> 20} MiB, {found['seconds']:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
