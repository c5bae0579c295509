import { dispatch, visited } from "./browser.js";

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";

import { between, forSeeds } from "./random.js";

const page = "../../Sources/FencepostPage/Web/";
const { coordinatesIn } = await import(`${page}core/coordinates.js`);
const { eventSentence, eventTypes, eventVerb, iconOf } = await import(`${page}core/event-types.js`);
const { formatBytes, formatDistance, formatHeading, formatSpeed } = await import(`${page}core/format.js`);
const { fragment, linkTo, mapViewOf, navigate } = await import(`${page}core/fragment.js`);
const { compareNaturally } = await import(`${page}core/natural-order.js`);
const { reconnectDelay } = await import(`${page}core/stream.js`);
const time = await import(`${page}core/time.js`);
const units = await import(`${page}core/units.js`);
const { deviceMatcher, findOnMap, isEventShown, regionMatcher } = await import(`${page}live/matching.js`);
const { findingsAbout } = await import(`${page}phones/check.js`);

beforeEach(() => {
  units.unitChoice.value = "metric";
});

describe("coordinates that people paste", () => {
  it("are read in the forms that maps copy", () => {
    const lisbon = ["38.7169, -9.1399", "38.7169 -9.1399", "38.7169;-9.1399", "38.7169° N 9.1399° W", " 38.7169,-9.1399 ",
      "geo:38.7169,-9.1399?z=12", "geo:38.7169,-9.1399;u=35", "38.7169N, 9.1399W"];
    for (const text of lisbon) assert.deepEqual(coordinatesIn(text), [-9.1399, 38.7169], text);
    const [lon, lat] = coordinatesIn("38°43′01″N 9°08′24″W");
    assert.ok(Math.abs(lat - 38.71694) < 1e-5 && Math.abs(lon + 9.14) < 1e-9);
    assert.deepEqual(coordinatesIn("33°30'S, 151°E"), null);
    assert.deepEqual(coordinatesIn("33°30'S, 151°0'E"), [151, -33.5]);
  });

  it("are found again as they are written", () => forSeeds(100, (random) => {
    const [lat, lon] = [between(random, -90, 90).toFixed(5), between(random, -180, 180).toFixed(5)];
    assert.deepEqual(coordinatesIn(`${lat}, ${lon}`), [Number(lon), Number(lat)]);
  }));

  it("are no names, and no places that do not exist", () => {
    for (const text of ["", "Van 9", "12 34", "12, 34", "91.5, 3.2", "3.2, 181.5", "38.7169", "1.5, 2.5, 3.5"]) {
      assert.equal(coordinatesIn(text), null, text);
    }
  });
});

describe("durations", () => {
  it("have their two largest units", () => {
    const written = [[0, "0 s"], [59.4, "59 s"], [60, "1 min"], [61, "1 min 1 s"], [599, "9 min 59 s"], [601, "10 min"],
      [3599, "59 min"], [3600, "1 h 0 min"], [86_399, "23 h 59 min"], [90_000, "1 d 1 h"], [-5, "0 s"]];
    for (const [seconds, text] of written) assert.equal(time.formatDuration(seconds), text);
  });

  it("since a moment are in the past or in the future", () => {
    const now = Date.UTC(2026, 2, 1, 12);
    assert.equal(time.formatAge(now - 240_000, now), "4 min ago");
    assert.equal(time.formatAge(new Date(now - 1500).toISOString(), now), "just now");
    assert.equal(time.formatAge(now + 240_000, now), "in 4 min");
    assert.equal(time.formatAge(now + 1500, now), "just now");
  });
});

describe("times, in Lisbon", () => {
  it("have the day unless it is today", () => {
    const now = Date.UTC(2026, 6, 1, 12);
    assert.equal(time.zoneLabel(), "Europe/Lisbon");
    assert.equal(time.formatTime("2026-07-01T11:03:12Z", now), "12:03:12");
    assert.match(time.formatTime("2026-06-30T22:59:59Z", now), /^Tue,? 30 Jun 23:59$/);
    // Midnight of the reader, not of UTC.
    assert.equal(time.formatTime("2026-06-30T23:30:00Z", now), "00:30:00");
    assert.equal(time.formatTime("nonsense", now), "unknown");
    assert.match(time.formatDateTime("2026-07-01T11:03:12Z"), /1 Jul 2026.*12:03:12/);
    assert.equal(time.formatHourMinute("2026-07-01T11:03:12Z"), "12:03");
  });

  it("have days of 23, 24 and 25 hours", () => {
    const hours = (day) => {
      const [start, end] = time.localDayBounds(day);
      return (end - start) / 3_600_000;
    };
    assert.deepEqual(["2026-03-29", "2026-03-30", "2026-10-25"].map(hours), [23, 24, 25]);
    assert.equal(time.localDayBounds("2026-12-31")[1], Date.UTC(2027, 0, 1));
  });

  it("have local dates whose bounds contain them", () => forSeeds(200, (random) => {
    const moment = Date.UTC(2026, 0, 1) + Math.floor(random() * 365 * 86_400_000);
    const [start, end] = time.localDayBounds(time.localDate(moment));
    assert.ok(start <= moment && moment < end);
  }));
});

describe("quantities", () => {
  it("are metric", () => {
    assert.deepEqual([6.54, 120, 999.4, 1000, 1234, 98_765].map(formatDistance),
      ["6.5 m", "120 m", "999 m", "1.0 km", "1.2 km", "99 km"]);
    assert.deepEqual([0, 1.4, 13.33].map(formatSpeed), ["0.0 km/h", "5.0 km/h", "48 km/h"]);
    assert.deepEqual([units.fieldLength(12.5), units.metersOf(12.5), units.lengthUnit()], [12.5, 12.5, "metres"]);
    assert.deepEqual(units.convertValue(80, "km/h"), [80, "km/h"]);
  });

  it("are imperial", () => {
    units.unitChoice.value = "imperial";
    assert.deepEqual([6.54, 120, 1234].map(formatDistance), ["21 ft", "394 ft", "0.8 mi"]);
    assert.equal(formatSpeed(13.41), "30 mph");
    assert.deepEqual(units.convertValue(80, "km/h"), [49.7, "mph"]);
    assert.deepEqual(units.convertValue(10, "m/s"), [22.4, "mph"]);
    assert.deepEqual(units.convertValue(10, "m"), [32.8, "ft"]);
    assert.deepEqual(units.convertValue(0.2, undefined), [0.2, undefined]);
    // A field's feet come back as the same metres, to a hundredth of a foot.
    for (const meters of [1, 12.5, 1000]) assert.ok(Math.abs(units.metersOf(units.fieldLength(meters)) - meters) < 0.002);
  });

  it("follow the language of the browser", () => {
    units.unitChoice.value = "language";
    for (const [language, isImperial] of [["en-GB", false], ["en-US", true], ["de", false], ["en-US@posix", true]]) {
      globalThis.navigator.language = language;
      assert.equal(units.isImperial(), isImperial, language);
    }
  });

  it("are bytes and courses", () => {
    assert.deepEqual([0, 999, 1000, 480_000, 1_234_567, 5e15].map(formatBytes),
      ["0 B", "999 B", "1.0 kB", "480 kB", "1.2 MB", "5000 TB"]);
    assert.deepEqual([0, 44, 224, 359.6].map(formatHeading), ["N 0°", "NE 44°", "SW 224°", "N 360°"]);
  });
});

describe("names", () => {
  it("are sorted as people do", () => {
    assert.deepEqual(["Van 10", "van 9", "Bus 2", "Ángel"].sort(compareNaturally), ["Ángel", "Bus 2", "van 9", "Van 10"]);
  });
});

describe("the fragment of the URL", () => {
  it("changes by parts, in the history if it is asked to", () => {
    navigate({ tab: "live", device: "a/b & c", map: "12/48.85/2.29" });
    assert.equal(location.hash, "#tab=live&device=a/b%20%26%20c&map=12/48.85/2.29");
    navigate({ device: null }, true);
    assert.deepEqual(visited.at(-1), ["pushState", "#tab=live&map=12/48.85/2.29"]);
    const count = visited.length;
    navigate({ tab: "live" });
    assert.equal(visited.length, count);
    assert.equal(linkTo({ region: "home" }), "#tab=live&region=home");
  });

  it("comes back as it was set", () => {
    const parts = { device: "Zoë=1&2+3 %", find: "50 % & more", region: "東京/1" };
    navigate(parts);
    dispatch("popstate");
    for (const [name, value] of Object.entries(parts)) assert.equal(fragment.value[name], value);
  });

  it("may be damaged", () => {
    location.hash = "#tab=live&=x&nothing&device=%E0%A4%A&find=a+b";
    dispatch("hashchange");
    assert.deepEqual(fragment.value, { tab: "live", find: "a b" });
  });

  it("has a view only if it is one", () => {
    assert.deepEqual(mapViewOf({ map: "12/48.85/2.29" }), { zoom: 12, center: [48.85, 2.29] });
    assert.deepEqual(mapViewOf({ map: "0/-90/9" }), { zoom: 0, center: [-90, 9] });
    for (const map of [undefined, "", "12/48", "12/91/2", "23/48/2", "-1/48/2", "a/48/2", "12/48/2/9", "12/48/Infinity"]) {
      assert.equal(mapViewOf({ map }), null, map);
    }
  });
});

describe("sentences about events", () => {
  const event = (type, more = {}) => ({ type, deviceId: "van", timestamp: "2026-03-01T00:00:00Z", ...more });
  const home = { region: { id: "home", name: "Home" } };

  it("name the device and the region", () => {
    assert.equal(eventSentence(event("region.entered", home)), "van entered Home");
    assert.equal(eventSentence(event("region.exited", { region: { id: "h" } }), () => "House"), "van left House");
    assert.equal(eventSentence(event("visit.arrived", { visit: { regions: ["a", "b"] } })), "van arrived at a, b");
    assert.equal(eventSentence(event("visit.arrived", { visit: { regions: [] } })), "van arrived at a place");
    assert.equal(eventSentence({ type: "endpoint.disabled", endpoint: { id: "diary" } }), "diary was disabled");
    assert.equal(eventSentence({ type: "new.type" }), "The service new.type");
    assert.equal(eventSentence(event("new.type", home)), "van new.type Home");
  });

  it("have what an alert measured, in the chosen units", () => {
    const speed = event("alert.speed", { ...home, alert: { state: "started", value: 92, limit: 80, unit: "km/h" } });
    assert.equal(eventSentence(speed), "van drives too fast at Home: 92 km/h, limit 80 km/h");
    units.unitChoice.value = "imperial";
    assert.equal(eventSentence(speed), "van drives too fast at Home: 57.2 mph, limit 49.7 mph");
    assert.equal(eventSentence(event("alert.battery", { alert: { state: "started", value: 0.15 } })),
      "van has a low battery: 15 %");
    assert.equal(eventSentence(event("alert.silent", { alert: { state: "started", limit: 3600, unit: "s" } })),
      "van has sent no location for 1 h 0 min");
    assert.equal(eventSentence(event("alert.silent", { alert: { state: "ended", value: 7200, unit: "s" } })),
      "van reports again after 2 h 0 min");
  });

  it("and icons exist for every type", () => {
    for (const type of eventTypes) {
      assert.notEqual(eventVerb(type), type);
      assert.ok(!eventSentence(event(type)).includes(type), type);
    }
    assert.equal(iconOf({ type: "new.type" }), "test");
  });

  it("and the icons of the start and the end of an alert differ", () => {
    const alert = (state) => ({ type: "alert.speed", alert: { state } });
    assert.equal(iconOf(alert("started")), "alarm");
    assert.equal(iconOf(alert("ended")), "clear");
  });
});

describe("the filters of Live", () => {
  const data = {
    devices: { ids: ["van-7", "jane"], regions: [["depot"], []] },
    regions: new Map([["depot", { properties: { name: "Main Depot", tags: ["work"] } }], ["home", {}]]),
    profiles: { nameOf: (id) => (id === "jane" ? "Jane Doe" : id) },
  };
  data.regions.nameOf = (id) => data.regions.get(id)?.properties?.name ?? id;
  const devices = (find) => [0, 1].filter(deviceMatcher({ find, kind: "" }, data));
  const regions = (find) => ["depot", "home"].filter(regionMatcher({ find, kind: "" }, data));

  it("find devices by id, by name, and by the region that they are in", () => {
    assert.deepEqual([devices(""), devices("VAN"), devices("doe"), devices("main"), devices("none")],
      [[0, 1], [0], [1], [0], []]);
  });

  it("find regions by id, name and tag, and by the devices in them", () => {
    assert.deepEqual([regions(""), regions("DEPOT"), regions("work"), regions("van-7"), regions("jane"), regions("hom")],
      [["depot", "home"], ["depot"], ["depot"], ["depot"], [], ["home"]]);
  });

  it("find the devices of a group by its name, and their events", () => {
    const groups = { all: [{ tag: "Couriers" }], has: (tag, id) => tag === "Couriers" && id === data.devices.ids[1] };
    const withGroups = { ...data, groups };
    const filter = { find: "courier", kind: "" };
    assert.deepEqual([0, 1].filter(deviceMatcher(filter, withGroups)), [1]);
    assert.deepEqual([0, 1].filter(deviceMatcher(filter, data)), []);
    const of = (deviceId) => isEventShown(filter, { type: "visit.arrived", deviceId }, withGroups);
    assert.deepEqual(data.devices.ids.map(of), [false, true]);
  });

  it("find regions and groups to move the map to, those that begin with the text first", () => {
    const all = new Map([["a-1", "North depot"], ["b", "Depot 10"], ["c", "Depot 9"], ["d", "Home"]]);
    const stores = { regions: { all, nameOf: (id) => all.get(id) }, groups: { all: [{ tag: "depots" }, { tag: "vans" }] } };
    const names = (find) => findOnMap(find, stores).map(({ kind, name }) => `${kind} ${name}`);
    assert.deepEqual(names("dEPot"), ["region Depot 9", "region Depot 10", "group depots", "region North depot"]);
    assert.deepEqual([names("a-1"), names(" "), names("x")], [["region North depot"], [], []]);
  });

  it("find events by kind and by every name in them", () => {
    const event = { type: "region.entered", deviceId: "jane", region: { id: "depot", name: "Old name" } };
    const shown = (find, kind, one = event) => isEventShown({ find, kind }, one, data);
    assert.deepEqual([shown("", ""), shown("", "region."), shown("", "visit."), shown("", "service")],
      [true, true, false, false]);
    assert.deepEqual([shown("doe", ""), shown("old", ""), shown("van", "")], [true, true, false]);
    assert.equal(shown("main", "", { type: "visit.arrived", visit: { regions: ["depot"] } }), true);
    assert.equal(shown("", "service", { type: "endpoint.disabled" }), true);
    assert.equal(shown("x", "service", { type: "endpoint.disabled" }), false);
  });
});

describe("the delay before a reconnect", () => {
  it("doubles up to half a minute, less up to a half", () => {
    assert.deepEqual([1, 2, 3, 9, 99].map((failures) => reconnectDelay(failures, 1)), [1000, 2000, 4000, 30_000, 30_000]);
    assert.deepEqual([1, 9].map((failures) => reconnectDelay(failures, 0)), [500, 15_000]);
  });
});

describe("the first location of a phone", () => {
  const now = Date.UTC(2026, 2, 1);
  const check = (location, more = {}) => findingsAbout(
    { timestamp: new Date(now).toISOString(), horizontalAccuracy: 10, ...location },
    { now, interval: null, regions: [], ...more }).map(({ tone }) => tone);

  it("is good, or has warnings", () => {
    assert.deepEqual(check({}), ["good"]);
    assert.deepEqual(check({ horizontalAccuracy: null }), ["good", "warn"]);
    assert.deepEqual(check({ horizontalAccuracy: 500 }), ["good", "warn"]);
    assert.deepEqual(check({ timestamp: new Date(now - 3_600_000).toISOString() }), ["good", "warn"]);
    assert.deepEqual(check({ timestamp: new Date(now + 120_000).toISOString() }), ["good", "warn"]);
    // A phone crosses 100 m in 143 s on foot.
    const regions = [{ id: "a", properties: { radius: 100 } }, { id: "b", properties: { radius: 900 } }, { id: "c" }];
    assert.deepEqual(check({}, { interval: 140, regions }), ["good"]);
    assert.deepEqual(check({}, { interval: 150, regions }), ["good", "warn"]);
  });
});
