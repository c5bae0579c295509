// Tests of the page's time zone, which need not be the browser's. They run in the time zone Europe/Lisbon.

import "./browser.js";

import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";

import { randomOf } from "./random.js";

const page = "../../Sources/FencepostPage/Web/";
const zone = await import(`${page}core/zone.js`);
const time = await import(`${page}core/time.js`);
const { fieldTime, timeInField } = await import(`${page}history/time-field.js`);
const hour = 3_600_000;

afterEach(() => zone.showTimeZone(zone.browserZone));

/** What a zone's clocks show, by another way than the page's: `2026-03-01 08:30:00`. */
const shown = (moment, timeZone) => new Intl.DateTimeFormat("sv-SE", {
  timeZone, dateStyle: "short", timeStyle: "medium",
}).format(moment);

const text = ({ year, month, day, hour: hours, minute, second }) => {
  const two = (number) => String(number).padStart(2, "0");
  return `${year}-${two(month)}-${two(day)} ${two(hours)}:${two(minute)}:${two(second)}`;
};

const zones = ["Asia/Kolkata", "Asia/Kathmandu", "America/St_Johns", "Australia/Lord_Howe", "Atlantic/Azores",
  "Asia/Beirut", "America/Santiago", "Pacific/Apia", "Pacific/Kiritimati", "Etc/GMT+12", "UTC", "Europe/Lisbon"];

describe("the time zone of the page", () => {
  it("shows what the zone's clocks show, at all times", () => {
    const next = randomOf(7);
    for (const name of zones) {
      zone.showTimeZone(name);
      for (let round = 0; round < 400; round++) {
        const moment = Math.floor(Date.UTC(2010, 0, 1) + next() * 20 * 365 * 24 * hour);
        assert.equal(text(zone.partsOf(moment)), shown(moment, name), `${name} ${moment}`);
      }
    }
  });

  it("finds the moment that a local time means, the first of two", () => {
    const next = randomOf(8);
    for (const name of zones) {
      zone.showTimeZone(name);
      for (let round = 0; round < 400; round++) {
        const moment = Math.floor((Date.UTC(2010, 0, 1) + next() * 20 * 365 * 24 * hour) / 60_000) * 60_000;
        const { year, month, day, hour: hours, minute } = zone.partsOf(moment);
        const found = zone.timeOf(year, month, day, hours, minute);
        // Clocks that are set back show a time twice.
        assert.ok(found === moment || [hour, hour / 2].includes(moment - found), `${name} ${moment} ${found}`);
        assert.equal(shown(found, name), shown(moment, name));
        assert.equal(timeInField(fieldTime(moment)), found);
      }
    }
  });

  it("is as `Date` is in the browser's own zone, also where a time is skipped or repeated", () => {
    for (let minutes = 0; minutes < 20_000; minutes += 7) {
      // The changes of 2025 in Lisbon are on 30 March and 26 October.
      for (const [month, day] of [[3, 29], [10, 25]]) {
        const expected = new Date(2025, month - 1, day, 0, minutes).getTime();
        assert.equal(zone.timeOf(2025, month, day, 0, minutes), expected);
        const date = new Date(expected);
        const { weekday, hour: hours } = zone.partsOf(expected);
        assert.deepEqual([weekday, hours], [date.getDay(), date.getHours()]);
      }
    }
  });

  it("has days that begin where the service says", () => {
    const days = [
      ["Asia/Kolkata", "2025-10-26", "2025-10-25T18:30:00Z", 24],
      ["Asia/Kathmandu", "2025-10-26", "2025-10-25T18:15:00Z", 24],
      ["America/St_Johns", "2025-11-02", "2025-11-02T02:30:00Z", 25],
      ["Australia/Lord_Howe", "2025-10-05", "2025-10-04T13:30:00Z", 23.5],
      ["Australia/Lord_Howe", "2025-04-06", "2025-04-05T13:00:00Z", 24.5],
      ["Atlantic/Azores", "2025-10-26", "2025-10-26T00:00:00Z", 25],
      ["Asia/Beirut", "2025-03-30", "2025-03-29T22:00:00Z", 23],
      ["America/Santiago", "2025-09-07", "2025-09-07T04:00:00Z", 23],
    ];
    for (const [name, day, begins, hours] of days) {
      zone.showTimeZone(name);
      const [start, end] = time.localDayBounds(day);
      assert.equal(start, Date.parse(begins), name);
      assert.equal((end - start) / hour, hours, name);
      assert.equal(time.localDate(start), day);
      assert.notEqual(time.localDate(start - 1), day);
      assert.equal(zone.startOfDay(end - 1), start);
    }
  });

  it("is that of all formats, and is named with the browser's", () => {
    const moment = "2026-07-01T11:03:12Z";
    assert.equal(time.formatHourMinute(moment), "12:03");
    zone.showTimeZone("Asia/Kolkata");
    assert.equal(time.formatHourMinute(moment), "16:33");
    assert.match(time.formatDateTime(moment), /16:33:12/);
    assert.equal(time.formatTime("2026-06-30T18:30:00Z", Date.UTC(2026, 6, 1, 12)), "00:00:00");
    assert.equal(time.zoneLabel(), "Asia/Kolkata, not that of this browser, Europe/Lisbon");
    assert.ok(!zone.isBrowserZone());
  });

  it("is the browser's where it does not know the name", () => {
    zone.showTimeZone("Mars/Olympus");
    assert.equal(zone.timeZone, "Europe/Lisbon");
    assert.equal(zone.canonicalZone("Mars/Olympus"), null);
  });

  it("takes no text that is no time", () => {
    for (const wrong of ["", "2026-03-01", "2026-03-01T", "nonsense"]) assert.ok(Number.isNaN(timeInField(wrong)));
    assert.equal(zone.timeOfText("2026-03-01T08:30:15"), Date.parse("2026-03-01T08:30:15Z"));
  });
});
