import "./browser.js";

import assert from "node:assert/strict";
import { describe, it } from "node:test";

const page = "../../Sources/FencepostPage/Web/";
const { initialOf, labelAmong } = await import(`${page}core/label.js`);
const { isLocalAddress } = await import(`${page}webhooks/message-fields.js`);
const { brokerOf, settingsOf } = await import(`${page}webhooks/mqtt-card.js`);

describe("the label of a device", () => {
  it("is its name while no other has it", () => {
    assert.equal(labelAmong("jane/phone", "Jane", ["jane/phone"]), "Jane");
    assert.equal(labelAmong("van-1", "van-1", []), "van-1");
  });

  it("has the last part of the id, or all of it where the last parts are equal", () => {
    const two = ["jane/phone", "jane/watch"];
    assert.deepEqual(two.map((id) => labelAmong(id, "Jane", two)), ["Jane (phone)", "Jane (watch)"]);
    const others = ["doe/phone", "roe/phone"];
    assert.deepEqual(others.map((id) => labelAmong(id, "Jane", others)), ["Jane (doe/phone)", "Jane (roe/phone)"]);
  });

  it("has a sign with its first letter", () => {
    assert.deepEqual(["jane/phone", " örn", "🚐 7", "—"].map(initialOf), ["J", "Ö", "7", "?"]);
  });
});

describe("the address for links", () => {
  it("is local where nobody else can open it", () => {
    for (const address of ["http://127.0.0.1:8080", "http://localhost:8080/", "http://[::1]:1", " HTTP://LOCALHOST"]) {
      assert.ok(isLocalAddress(address), address);
    }
    for (const address of ["https://regions.example.org", "http://192.168.1.7:8080", "http://localhost.example", ""]) {
      assert.equal(isLocalAddress(address), false, address);
    }
  });
});

describe("the MQTT broker", () => {
  it("is read from the address of its endpoint", () => {
    assert.deepEqual(brokerOf("mqtt://broker.lan/fencepost"),
      { host: "broker.lan", port: 1883, isTLS: false, prefix: "fencepost" });
    assert.deepEqual(brokerOf("mqtts://[fd00::1]:8884/home/regions"),
      { host: "[fd00::1]", port: 8884, isTLS: true, prefix: "home/regions" });
    assert.equal(brokerOf("mqtts://broker.lan").port, 8883);
    assert.equal(brokerOf("broker"), null);
  });

  it("has settings to copy, which leave out what is usual", () => {
    const { mqtt } = JSON.parse(settingsOf(brokerOf("mqtts://broker.lan:8884/fencepost")));
    assert.deepEqual(mqtt, { host: "broker.lan", port: 8884, tls: true, username: "fencepost", password: "…",
      homeAssistant: true });
    assert.deepEqual(Object.keys(JSON.parse(settingsOf(null)).mqtt), ["host", "username", "password", "homeAssistant"]);
  });
});
