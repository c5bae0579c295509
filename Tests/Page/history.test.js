import { passFrame } from "./browser.js";

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { between, forSeeds, shuffled } from "./random.js";

const { Day, maximumGap } = await import("../../Sources/FencepostPage/Web/history/day.js");
const { Playback } = await import("../../Sources/FencepostPage/Web/history/playback.js");
const { similarIDs } = await import("../../Sources/FencepostPage/Web/history/similar-ids.js");
const { TimeView } = await import("../../Sources/FencepostPage/Web/history/time-view.js");

const from = Date.UTC(2026, 2, 1);
const to = from + 86_400_000;
const at = (minutes) => from + 60_000 * minutes;
const iso = (minutes) => new Date(at(minutes)).toISOString();
const fix = (minutes, longitude = 0, latitude = 0) => ({ timestamp: iso(minutes), longitude, latitude });
const nothing = { visits: [], stays: [], unknown: [] };
const dayOf = (fixes, { events = [], timeline = nothing, until = to } = {}) =>
  new Day("jane", from, until, to, { fixes, events, timeline });

describe("the history of a day", () => {
  it("finds the last fix at or before a time", () => forSeeds(50, (random) => {
    const minutes = Array.from({ length: 30 }, () => Math.floor(random() * 1440));
    const day = dayOf(shuffled(minutes, random).map((minute) => fix(minute)));
    for (let time = -5; time < 1450; time += 7) {
      assert.equal(day.lastFixIndexAt(at(time)), minutes.filter((minute) => minute <= time).length - 1);
    }
  }));

  it("interpolates between fixes, and stays at the last one through a gap", () => {
    const day = dayOf([fix(0, 10, 50), fix(10, 20, 52), fix(30, 30, 54)]);
    const { longitude, latitude, age } = day.positionAt(at(4));
    assert.deepEqual([longitude, latitude, age], [14, 50.8, 240_000]);
    assert.equal(day.positionAt(at(4), false).longitude, 10);
    // 20 minutes are more than `maximumGap`.
    assert.equal(day.positionAt(at(20)).longitude, 20);
    assert.equal(day.positionAt(at(900)).longitude, 30);
    assert.equal(day.positionAt(at(-1)), null);
    assert.equal(maximumGap, 600_000);
  });

  it("goes the shorter way over the antimeridian", () => {
    const day = dayOf([fix(0, 179, 0), fix(10, -179, 0)]);
    assert.equal(day.positionAt(at(2.5)).longitude, 179.5);
    assert.equal(day.positionAt(at(7.5)).longitude, -179.5);
  });

  it("stays between the two fixes", () => forSeeds(100, (random) => {
    const fixes = [fix(0, between(random, -170, 170), 10), fix(8, between(random, -170, 170), 20)];
    const { latitude } = dayOf(fixes).positionAt(at(between(random, 0, 8)));
    assert.ok(latitude >= 10 && latitude <= 20);
  }));

  it("sorts events of the same time by their sequence", () => {
    const event = (id, minutes, sequence) => ({ id, timestamp: iso(minutes), sequence });
    const day = dayOf([], { events: [event("c", 5, 2), event("b", 5, 1), event("0", 5), event("a", 1, 9)] });
    assert.deepEqual(day.events.map(({ id }) => id), ["a", "0", "b", "c"]);
  });

  it("has stays and visits of the service, and no unknown time in the future", () => {
    const part = (start, end) => ({ from: iso(start), to: iso(end) });
    const day = dayOf([], { until: at(600), timeline: {
      visits: [{ ...part(60, 120), visit: { arrival: null, regions: [] } }],
      stays: [{ ...part(60, 120), regionId: "home", seconds: 3600, isOpen: false }],
      unknown: [part(0, 60), part(700, 1440)],
    } });
    assert.deepEqual(day.unknown, [{ from: at(0), to: at(60) }]);
    assert.equal(day.visits[0].isOpen, true);
    assert.deepEqual([59, 60, 120, 121].map((minute) => day.regionsAt(at(minute))), [[], ["home"], ["home"], []]);
    assert.equal(day.isEmpty, false);
    assert.equal(dayOf([]).isEmpty, true);
  });
});

describe("the playback", () => {
  const open = (fixes) => {
    const playback = new Playback();
    playback.open(dayOf(fixes));
    return playback;
  };

  it("begins at the first fix and stays within the day", () => {
    const playback = open([fix(60), fix(120)]);
    assert.equal(playback.time.value, at(60));
    playback.seek(at(-60));
    assert.equal(playback.time.value, from);
    playback.seek(at(2000));
    assert.equal(playback.time.value, to);
    playback.open(null);
    assert.equal(playback.time.value, null);
    playback.play();
    assert.equal(playback.isPlaying.value, false);
  });

  it("advances by its speed, whatever the rate of the frames, and pauses at the last fix", () => {
    for (const frame of [16, 100, 250]) {
      const playback = open([fix(60), fix(120)]);
      playback.speed.value = 60;
      playback.play();
      let milliseconds = 0;
      while (milliseconds < 2000) {
        passFrame(frame);
        milliseconds += frame;
      }
      assert.equal(playback.time.value, at(60) + 60 * milliseconds);
      playback.speed.value = 1800;
      for (let count = 0; count < 1000 && playback.isPlaying.value; count += 1) passFrame(frame);
      assert.deepEqual([playback.time.value, playback.isPlaying.value], [at(120), false]);
      assert.equal(passFrame(), false);
    }
  });

  it("plays again from the first fix after its end, and not while it is paused", () => {
    const playback = open([fix(60), fix(120)]);
    playback.seek(at(130));
    playback.toggle();
    assert.deepEqual([playback.time.value, playback.isPlaying.value], [at(60), true]);
    playback.toggle();
    passFrame(1000);
    assert.equal(playback.time.value, at(60));
  });

  it("steps from fix to fix", () => {
    const playback = open([fix(60), fix(70), fix(120)]);
    const { fixes } = playback.day;
    assert.equal(playback.step(fixes, 1), fixes[1]);
    assert.equal(playback.step(fixes, 1), fixes[2]);
    assert.equal(playback.step(fixes, 1), null);
    assert.equal(playback.step(fixes, -1), fixes[1]);
    assert.equal(playback.time.value, at(70));
  });
});

describe("the part of the time line", () => {
  const opened = (text) => {
    const view = new TimeView();
    view.open({ from, to }, text);
    return view;
  };

  it("stays within the day, at least two minutes and with whole seconds, after any zooms and moves", () => {
    forSeeds(100, (random) => {
      const view = opened(null);
      for (let step = 0; step < 50; step += 1) {
        if (random() < 0.6) view.zoom(between(random, 0.1, 2), at(between(random, -100, 1500)));
        else if (random() < 0.7) view.move(between(random, -2, 2));
        else view.reveal(at(between(random, 0, 1440)));
        assert.ok(view.from >= from && view.to <= to && view.span >= 120_000, `${view.from - from} ${view.span}`);
        assert.ok(view.from % 1000 === 0 && view.span % 1000 === 0);
      }
    });
  });

  it("keeps the time under the pointer where it is", () => {
    const view = opened("400-800");
    const part = (time) => (time - view.from) / view.span;
    const before = part(at(500));
    view.zoom(0.5, at(500));
    assert.ok(Math.abs(part(at(500)) - before) < 0.001);
    assert.equal(view.span, 200 * 60_000);
  });

  it("is in the URL as minutes, and comes back from there", () => {
    const view = opened("420-570");
    assert.deepEqual([view.from, view.to, view.text, view.isPart], [at(420), at(570), "420-570", true]);
    view.reset();
    assert.deepEqual([view.text, view.isPart], [null, false]);
    for (const text of ["", "570-420", "1-2", "0-99999", "a-b", "-5-9", null]) assert.equal(opened(text).text, null, text);
  });

  it("notifies of changes only", () => {
    const view = opened("420-570");
    let count = 0;
    view.changes.subscribe(() => (count += 1));
    view.reveal(at(500));
    view.show("420-570");
    assert.equal(count, 0);
    view.reveal(at(700));
    assert.equal(count, 1);
    assert.ok(view.from <= at(700) && view.to >= at(700));
    assert.deepEqual(view.canMove, { earlier: true, later: true });
  });

  it("moves by parts of what it shows", () => {
    const view = opened("0-100");
    assert.deepEqual(view.canMove, { earlier: false, later: true });
    view.move(0.5);
    assert.equal(view.text, "50-150");
    view.move(99);
    assert.equal(view.text, "1340-1440");
    assert.deepEqual(view.canMove, { earlier: true, later: false });
    view.zoom(9, at(1440));
    assert.equal(view.text, "540-1440");
    assert.deepEqual(opened(null).canMove, { earlier: false, later: false });
  });

  it("is nothing without a day", () => {
    const view = new TimeView();
    view.zoom(0.5);
    view.move(1);
    view.reset();
    assert.deepEqual([view.isPart, view.canZoomIn, view.text], [false, false, null]);
  });
});

describe("the ids that somebody may have meant", () => {
  const ids = ["jane", "jan", "van-7", "van-70", "van-8", "truck-12"];

  it("are similar, the most similar first", () => {
    assert.deepEqual(similarIDs("jnae", ["jane", "jean", "xnae"]), ["xnae"]);
    assert.deepEqual(similarIDs("VAN-7", ids), ["van-7", "van-70", "van-8"]);
    assert.deepEqual(similarIDs("truck", ids), ["truck-12"]);
    assert.deepEqual(similarIDs("bicycle", ids), []);
    assert.equal(similarIDs("van", Array.from({ length: 9 }, (_, i) => `van-${i}`)).length, 3);
  });
});
