"""Endpoints at message brokers: the form of each kind, a message in a stream of Redis, and a broker that is away."""

import shutil
import socket
import subprocess

import pytest
from playwright.sync_api import expect

from test_messages import drive_to_office, wait_until

PATH = "/usr/bin:/usr/local/bin:/usr/sbin"


@pytest.fixture
def redis(tmp_path):
    """Starts Redis at a port of its own, and ends it."""
    program = shutil.which("redis-server", path=PATH)
    if program is None:
        pytest.skip("redis-server is not installed")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    process = None

    def start():
        nonlocal process
        process = subprocess.Popen(
            [program, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)],
            stdout=subprocess.DEVNULL)
        return port

    yield start
    if process:
        process.kill()
        process.wait()


def entries(port, stream):
    command = ["redis-cli", "-p", str(port), "XRANGE", stream, "-", "+"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_an_endpoint_in_a_stream_of_redis_is_added_tested_and_gets_the_events(window, redis):
    port = redis()
    window.sign_in()
    panel = window.open_tab("Messages")
    panel.get_by_text("Add an endpoint").click()
    panel.get_by_label("Kind").select_option("redis")
    panel.get_by_label("Server").fill(f"redis://127.0.0.1:{port}")
    panel.get_by_label("Stream with {device}").fill("fence:{devise}")
    panel.get_by_label("Format").select_option("structured")
    window.allows_connection_errors = True
    panel.get_by_role("button", name="Add the endpoint").click()
    expect(panel.get_by_text("There is no placeholder \"{devise}\"")).to_be_visible()
    stream = panel.get_by_label("Stream with {device}")
    expect(stream).to_have_attribute("aria-invalid", "true")
    stream.fill("fence:{device}")
    panel.get_by_label("Longest stream").fill("1000")
    panel.get_by_role("button", name="Add the endpoint").click()
    expect(panel.get_by_text("Added. “Send test” below sends a first message.")).to_be_visible()
    [endpoint] = window.service.get("/v1/endpoints")["data"]
    assert (endpoint["kind"], endpoint["stream"], endpoint["maximumLength"], endpoint["format"]) == (
        "redis", "fence:{device}", 1000, "structured")

    card = panel.get_by_role("article").first
    expect(card).to_contain_text("Redis 127.0.0.1")
    expect(card.get_by_role("button", name="Change the secret")).to_have_count(0)
    card.get_by_role("button", name="Send test").click()
    expect(card.get_by_text("The broker has the message")).to_be_visible()
    assert "webhook.test" in entries(port, "fence:-")

    drive_to_office(window.service)
    wait_until(lambda: "region.entered" in entries(port, "fence:jane%2Fphone"), window)
    assert "application/cloudevents+json" in entries(port, "fence:jane%2Fphone")


@pytest.mark.parametrize("kind, url, field, template", [
    ("nats", "nats://127.0.0.1:1", "Subject", "fence.{device}"),
    ("amqp", "amqp://127.0.0.1:1", "Routing key with", "fence"),
    ("kafka", "kafka://127.0.0.1:1,127.0.0.1:2/fence", None, None)])
def test_the_form_of_a_broker_says_that_it_is_away(window, kind, url, field, template):
    window.sign_in()
    panel = window.open_tab("Messages")
    panel.get_by_text("Add an endpoint").click()
    panel.get_by_label("Kind").select_option(kind)
    panel.get_by_label("Server", exact=False).first.fill(url)
    if field:
        panel.get_by_label(field).fill(template)
    panel.get_by_role("button", name="Add the endpoint").click()
    expect(panel.get_by_text("Added. “Send test” below sends a first message.")).to_be_visible()
    card = panel.get_by_role("article").first
    card.get_by_role("button", name="Send test").click()
    expect(card.get_by_text("The endpoint did not accept it")).to_be_visible()
