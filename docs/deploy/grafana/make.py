"""Writes the dashboard of Grafana: docs/deploy/grafana/make.py > docs/deploy/grafana/fencepost.json

A test compares its metrics with those of the service, and the file with what this writes.
"""

import json
import sys

JOB = 'job=~"$job"'

# Title, unit, and for each line its query and legend.
ROWS = [
    ("Locations and events", [
        ("Locations", "ops", [
            (f"sum by (outcome) (rate(fencepost_ingest_locations_total{{{JOB}}}[$__rate_interval]))", "{{outcome}}")]),
        ("Locations by app", "ops", [
            (f"sum by (format) (rate(fencepost_ingest_locations_total{{{JOB}}}[$__rate_interval]))", "{{format}}")]),
        ("Events", "cps", [
            (f"sum by (type) (rate(fencepost_events_total{{{JOB}}}[$__rate_interval]))", "{{type}}")]),
        ("Delay from location to event", "s", [
            (f"histogram_quantile({q}, sum by (le) "
             f"(rate(fencepost_event_delay_seconds_bucket{{{JOB}}}[$__rate_interval])))", name)
            for q, name in ((0.5, "half"), (0.99, "99 %"))]),
        ("Refused locations", "cps", [
            (f"sum by (code) (rate(fencepost_quarantine_total{{{JOB}}}[$__rate_interval]))", "{{code}}")]),
    ]),
    ("Webhooks", [
        ("Attempts", "cps", [
            (f"sum by (outcome) (rate(fencepost_webhook_attempts_total{{{JOB}}}[$__rate_interval]))", "{{outcome}}")]),
        ("Pending messages", "short", [(f"fencepost_webhook_pending{{{JOB}}}", "pending")]),
        ("Oldest pending message", "s", [(f"fencepost_webhook_oldest_pending_seconds{{{JOB}}}", "age")]),
        ("Endpoints", "short", [(f"fencepost_endpoints{{{JOB}}}", "{{state}}")]),
    ]),
    ("HTTP", [
        ("Requests", "reqps", [
            (f"sum by (status) (rate(fencepost_http_requests_total{{{JOB}}}[$__rate_interval]))", "{{status}}")]),
        ("Duration of ingest requests", "s", [
            (f"histogram_quantile({q}, sum by (le) "
             f"(rate(fencepost_ingest_request_duration_seconds_bucket{{{JOB}}}[$__rate_interval])))", name)
            for q, name in ((0.5, "half"), (0.99, "99 %"))]),
        ("Connections", "short", [
            (f"fencepost_http_connections{{{JOB}}}", "connections"),
            (f"fencepost_stream_readers{{{JOB}}}", "readers of the event stream")]),
        ("Closed because of a limit", "cps", [
            (f"sum by (reason) (rate(fencepost_http_connections_shed_total{{{JOB}}}[$__rate_interval]))",
             "{{reason}}")]),
    ]),
    ("Storage and process", [
        ("Database", "bytes", [
            (f"fencepost_database_bytes{{{JOB}}}", "database"), (f"fencepost_wal_bytes{{{JOB}}}", "write-ahead log")]),
        ("Free space", "bytes", [(f"fencepost_storage_free_bytes{{{JOB}}}", "free")]),
        ("Failed commits", "short", [
            (f"increase(fencepost_storage_failures_total{{{JOB}}}[$__rate_interval])", "failures")]),
        ("Set aside", "short", [(f"sum by (kind) (fencepost_set_aside{{{JOB}}})", "{{kind}}")]),
        ("Age of the last backup", "s", [
            (f"time() - (fencepost_backup_last_timestamp_seconds{{{JOB}}} > 0)", "age")]),
        ("Memory", "bytes", [(f"process_resident_memory_bytes{{{JOB}}}", "resident")]),
        ("Processor time", "percentunit", [(f"rate(process_cpu_seconds_total{{{JOB}}}[$__rate_interval])", "cores")]),
        ("Clock", "s", [(f"fencepost_clock_offset_seconds{{{JOB}}}", "wall clock minus service clock")]),
        ("Version", "short", [(f"fencepost_build_info{{{JOB}}}", "{{version}}")]),
    ]),
]
WIDTH, HEIGHT = 8, 8
SOURCE = {"type": "prometheus", "uid": "${source}"}


def panel(number, title, unit, queries, x, y):
    return {
        "id": number,
        "type": "timeseries",
        "title": title,
        "datasource": SOURCE,
        "gridPos": {"x": x, "y": y, "w": WIDTH, "h": HEIGHT},
        "fieldConfig": {"defaults": {"unit": unit, "min": None if title == "Clock" else 0}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": [
            {"refId": chr(65 + index), "datasource": SOURCE, "expr": query, "legendFormat": legend}
            for index, (query, legend) in enumerate(queries)
        ],
    }


def dashboard():
    panels, y = [], 0
    for title, contents in ROWS:
        panels.append({"id": len(panels) + 1, "type": "row", "title": title, "collapsed": False, "panels": [],
                       "gridPos": {"x": 0, "y": y, "w": 24, "h": 1}})
        y += 1
        for index, (name, unit, queries) in enumerate(contents):
            panels.append(panel(len(panels) + 1, name, unit, queries, index % 3 * WIDTH, y + index // 3 * HEIGHT))
        y += -(-len(contents) // 3) * HEIGHT
    return {
        "uid": "fencepost",
        "title": "Fencepost",
        "tags": ["fencepost"],
        "schemaVersion": 39,
        "refresh": "1m",
        "time": {"from": "now-24h", "to": "now"},
        "templating": {
            "list": [
                {"name": "source", "label": "Data source", "type": "datasource", "query": "prometheus"},
                {"name": "job", "label": "Job", "type": "query", "datasource": SOURCE, "includeAll": True,
                 "multi": True, "refresh": 1,
                 "query": {"query": "label_values(fencepost_build_info, job)", "refId": "job"}},
            ]
        },
        "panels": panels,
    }


if __name__ == "__main__":
    json.dump(dashboard(), sys.stdout, indent=1)
    sys.stdout.write("\n")
