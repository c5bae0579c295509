"""Drawing 10,000 moving devices. The test prints the times; it asserts counts, which do not depend on the machine."""

import random
import statistics

from playwright.sync_api import expect

from service import fix, offset

COUNT = 10_000
FRAMES = 60
CENTER = (38.7169, -9.1399)

# Counts per frame how often each canvas is cleared, and what is added to paths and painted; measures the script.
COUNT_FRAMES = """
(() => {
    const frames = [];
    let current = null;
    const clear = CanvasRenderingContext2D.prototype.clearRect;
    CanvasRenderingContext2D.prototype.clearRect = function (...box) {
        if (current) current.clears.set(this.canvas, (current.clears.get(this.canvas) ?? 0) + 1);
        return clear.apply(this, box);
    };
    for (const [kind, names] of Object.entries({
        shapes: ["arc", "rect", "lineTo", "ellipse", "bezierCurveTo", "quadraticCurveTo"],
        paints: ["fill", "stroke", "fillText", "strokeText", "fillRect", "strokeRect", "drawImage"],
    })) {
        for (const name of names) {
            const call = CanvasRenderingContext2D.prototype[name];
            CanvasRenderingContext2D.prototype[name] = function (...values) {
                if (current) current[kind] += 1;
                return call.apply(this, values);
            };
        }
    }
    const ask = requestAnimationFrame.bind(window);
    globalThis.requestAnimationFrame = (work) => ask((time) => {
        const start = performance.now();
        work(time);
        if (current) current.script += performance.now() - start;
    });
    globalThis.watchFrames = (count, eachFrame) => new Promise((done) => {
        const next = (time) => {
            if (current) frames.push({ ...current, time, clears: Math.max(0, ...current.clears.values()) });
            if (frames.length === count) return done(frames.splice(0));
            current = { script: 0, shapes: 0, paints: 0, clears: new Map() };
            eachFrame(frames.length);
            ask(next);
        };
        ask(next);
    });
})();
"""


def scatter(chance, spread):
    return [
        fix(f"d{number:05}", *offset(*CENTER, chance.gauss(0, spread), chance.gauss(0, spread)), ago=1.0)
        for number in range(COUNT)
    ]


def test_ten_thousand_devices_are_drawn_once_a_frame(window):
    chance = random.Random(1)
    service = window.service
    service.report(*scatter(chance, 3000))
    window.page.add_init_script(COUNT_FRAMES)
    page = window.sign_in(f"/#map=12/{CENTER[0]}/{CENTER[1]}")
    expect(page.get_by_role("status").filter(has_text="10,000 devices")).to_be_visible()

    # Drags the map back and forth, one step per frame.
    page.evaluate("""(frames) => {
        const [root, map] = [document.documentElement, document.getElementById("map")];
        const box = map.getBoundingClientRect();
        const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
        const send = (kind, target, dx) => target.dispatchEvent(new PointerEvent(kind, {
            bubbles: true, pointerId: 1, pointerType: "mouse", isPrimary: true, button: 0, buttons: 1,
            clientX: x + dx, clientY: y,
        }));
        const mouse = (kind, target, dx) => target.dispatchEvent(new MouseEvent(kind, {
            bubbles: true, button: 0, buttons: 1, clientX: x + dx, clientY: y,
        }));
        send("pointerdown", map, 0);
        mouse("mousedown", map, 0);
        globalThis.watched = watchFrames(frames, (frame) => {
            const dx = 160 * Math.sin(frame / 8);
            send("pointermove", root, dx);
            mouse("mousemove", root, dx);
        }).finally(() => {
            send("pointerup", root, 0);
            mouse("mouseup", root, 0);
        });
    }""", FRAMES)
    # All devices move at the same time.
    service.report(*scatter(chance, 3000))
    frames = page.evaluate("watched")
    spans = sorted(b["time"] - a["time"] for a, b in zip(frames, frames[1:]))
    script = statistics.median(frame["script"] for frame in frames)
    [shapes, paints] = [max(frame[kind] for frame in frames) for kind in ("shapes", "paints")]
    print(
        f"\n10,000 devices, seed 1, {len(frames)} frames of a pan: {1000 / statistics.median(spans):.0f} frames/s "
        f"(median; 95th percentile {spans[int(0.95 * len(spans))]:.0f} ms), {script:.1f} ms of script per frame, "
        f"at most {shapes} shapes and {paints} paint operations"
    )
    # Each canvas is drawn, at most once per frame; devices that are close together share one shape.
    assert sum(frame["clears"] for frame in frames) >= FRAMES / 4
    assert max(frame["clears"] for frame in frames) <= 1
    assert 0 < shapes <= COUNT / 10
    assert paints <= COUNT / 10
