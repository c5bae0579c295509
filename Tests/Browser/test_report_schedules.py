"""Reports on a schedule: the form in the tab Reports, and the mail with its attachment at a real SMTP server."""

import io
import json
import signal
import time
import urllib.parse
import urllib.request
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

import openpyxl
from playwright.sync_api import expect

from test_messages import wait_until
from test_reports import OFFICE, commute


def add_mail_endpoint(service, mailbox):
    service.stop()
    config = json.loads(service.config.read_text())
    config["webhooks"] |= {"caFile": str(mailbox.certificate)}
    service.config.write_text(json.dumps(config))
    service.start()
    service.post("/v1/endpoints", {
        "id": "mail", "kind": "email", "url": f"smtp://localhost:{mailbox.port}", "from": "fence@example.org",
        "to": "boss@example.org", "username": "fence", "password": "s3cret-mail", "description": "Office",
        "events": ["device.stale"],
    })


def add_history(service):
    """Walks between two regions last month and yesterday."""
    service.add_circle("office", "Office", *OFFICE, 150)
    today = datetime.now(timezone.utc).day
    for day in (today + 5, today + 4, today + 3, 2, 1):
        service.report(*commute(day))


def download(service, target):
    request = urllib.request.Request(service.url + target, headers={"Authorization": f"Bearer {service.token}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


def attachment(message):
    [part] = message.iter_attachments()
    return part


def test_a_report_is_set_up_in_the_page_and_mailed_as_an_excel_file(window, mailbox):
    service = window.service
    add_mail_endpoint(service, mailbox)
    add_history(service)
    page = window.sign_in("/#tab=reports&device=jane/phone")
    section = page.get_by_role("region", name="Sent on a schedule")
    section.get_by_text("Send this by mail").click()
    section.get_by_label("Name").fill("Jane, last month")
    section.get_by_label("How often").select_option("monthly")
    expect(section.get_by_label("On", exact=True)).to_be_hidden()
    section.get_by_label("Device or pattern").fill("jane/*")
    section.get_by_label("At", exact=True).fill("06:30")
    section.get_by_label("Time zone").fill("Europe/Lisbon")
    section.get_by_role("button", name="Save", exact=True).click()
    row = section.get_by_role("listitem").filter(has_text="Jane, last month")
    expect(row).to_contain_text("Summary every month at 06:30 (Europe/Lisbon) to Office.")
    expect(row).to_contain_text("Next:")
    row.get_by_role("button", name="Send now").click()
    wait_until(lambda: mailbox.messages, window)
    row.get_by_role("button", name="Pause").click()
    expect(row).to_contain_text("Paused.")
    [schedule] = service.get("/v1/report-schedules")["data"]
    assert schedule["state"] == "disabled" and schedule["deviceId"] == "jane/*"
    row.get_by_role("button", name="Remove").click()
    row.get_by_role("button", name="Remove").click()
    expect(row).to_have_count(0)
    assert service.get("/v1/report-schedules")["data"] == []


def test_visits_are_sent_on_a_schedule_that_the_page_adds(open_window, service, mailbox):
    add_mail_endpoint(service, mailbox)
    add_history(service)
    # The units of this viewer are miles, which visits have none of.
    page = open_window(locale="en-US", timezone_id="Europe/Lisbon").sign_in("/#tab=reports&device=jane/phone")
    section = page.get_by_role("region", name="Sent on a schedule")
    section.get_by_text("Send this by mail").click()
    section.get_by_label("Name").fill("Visits of yesterday")
    section.get_by_label("Report").select_option("visits")
    expect(section.get_by_label("Summary by")).to_be_hidden()
    section.get_by_label("How often").select_option("daily")
    section.get_by_role("button", name="Save", exact=True).click()
    row = section.get_by_role("listitem").filter(has_text="Visits of yesterday")
    expect(row).to_contain_text("Visits every day at 07:00 (Europe/Lisbon) to Office.")
    row.get_by_role("button", name="Send now").click()
    wait_until(lambda: mailbox.messages)
    sheet = openpyxl.load_workbook(io.BytesIO(attachment(mailbox.messages[0][1]).get_content())).active
    assert sheet["A1"].value == "Device" and "Office" in [cell.value for cell in sheet["C"]]


def test_the_attachment_is_the_download_and_openpyxl_reads_it(service, mailbox):
    add_mail_endpoint(service, mailbox)
    add_history(service)
    for frequency, report in (("monthly", "summaries"), ("daily", "trips"), ("monthly", "visits")):
        made = service.post("/v1/report-schedules", {
            "name": f"Zoë's {report}", "report": report, "frequency": frequency, "endpoints": ["mail"],
            "timeZone": "Europe/Lisbon", "deviceId": "jane/*",
        })
        mailbox.messages.clear()
        sent = service.post(f"/v1/report-schedules/{made['id']}/send", {})
        wait_until(lambda: mailbox.messages)
        envelope, message = mailbox.messages[0]
        assert envelope.rcpt_tos == ["boss@example.org"]
        event = service.get(f"/v1/events/{sent['eventId']}")
        days = (event["report"]["firstDate"], event["report"]["lastDate"])
        period = days[0] if frequency == "daily" else " to ".join(days)
        assert message["Subject"] == f"Zoë's {report}: {period}"
        part = attachment(message)
        name = "summary" if report == "summaries" else report
        assert part.get_filename() == f"{name}-{period.replace(' to ', '-')}.xlsx"
        assert part.get_content_type() == "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        content = part.get_content()
        assert content == download(service, event["report"]["path"])
        rows = list(openpyxl.load_workbook(io.BytesIO(content)).active.values)
        path = urllib.parse.urlsplit(event["report"]["path"])
        query = dict(urllib.parse.parse_qsl(path.query))
        assert query.pop("format") == "xlsx" and query["timeZone"] == "Europe/Lisbon"
        if report != "summaries":
            # In the other formats times are in UTC.
            zone = ZoneInfo(query.pop("timeZone"))
        expected = service.get(path.path, **query)["data"]
        # The head, an empty row and the totals.
        assert len(rows) == 3 + len(expected) and expected
        assert rows[-2][0] is None and rows[-1][0] == "Total"
        if report == "summaries":
            assert rows[0][:4] == ("Device", "Device ID", "Date", "Time inside")
            for row, one in zip(rows[1:-2], expected, strict=True):
                assert (row[1], f"{row[2]:%Y-%m-%d}") == (one["deviceId"], one["date"])
                assert round(row[3].total_seconds() if row[3] else 0) == one["secondsInside"]
        elif report == "visits":
            assert rows[0][:7] == (
                "Device", "Device ID", "Region", "Region ID", "Arrival", "Departure", "Duration")
            for row, one in zip(rows[1:-2], expected, strict=True):
                assert (row[1], row[-1]) == (one["deviceId"], one["id"])
                for cell, name in ((row[4], "arrival"), (row[5], "departure")):
                    time_there = one[name] and datetime.fromisoformat(one[name]).astimezone(zone).replace(tzinfo=None)
                    assert cell is None if time_there is None else abs((cell - time_there).total_seconds()) <= 0.5
        else:
            for row, one in zip(rows[1:-2], expected, strict=True):
                start = datetime.fromisoformat(one["start"]["time"]).astimezone(zone).replace(tzinfo=None)
                assert row[1] == one["deviceId"] and abs((row[2] - start).total_seconds()) <= 0.5


def test_a_report_that_is_due_is_sent_once_also_over_a_restart(service, mailbox):
    add_mail_endpoint(service, mailbox)
    service.post("/v1/report-schedules", {
        "id": "soon", "name": "Soon", "frequency": "daily", "format": "csv", "endpoints": ["mail"],
        "at": time.strftime("%H:%M", time.gmtime(time.time() + 61)), "timeZone": "UTC",
    })
    mailbox.answer = "451 Try again later"
    wait_until(lambda: service.get("/v1/deliveries")["data"], seconds=180)
    service.stop(signal.SIGKILL)
    mailbox.answer = "250 OK"
    service.start()
    wait_until(lambda: mailbox.messages, seconds=180)
    time.sleep(12)
    assert len(mailbox.messages) == 1
    assert len(service.get("/v1/deliveries")["data"]) == 1
    assert service.get("/v1/report-schedules/soon")["lastRun"]["at"]
    assert attachment(mailbox.messages[0][1]).get_content().startswith("deviceId,date,")
