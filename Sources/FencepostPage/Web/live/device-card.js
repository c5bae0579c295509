import { pathSegment, request } from "../core/api.js";
import { element, fact, setChildren } from "../core/dom.js";
import { formatHeading, formatDistance, formatSpeed } from "../core/format.js";
import { linkTo } from "../core/fragment.js";
import { oncePerFrame } from "../core/observable.js";
import { profiles } from "../core/profiles.js";
import { formatAge, formatDateTime } from "../core/time.js";
import { text } from "../text/text.js";
import { faceView } from "./face.js";
import { fenceForm } from "./fence-form.js";
import { fenceState } from "./fence-words.js";
import { profileForm } from "./profile-form.js";

/** The card of the selected device: position, accuracy, age, regions, and a switch that keeps it in view. */
export function deviceCard(app) {
  const texts = text.live.deviceCard;
  const card = element("article.card", { hidden: true, "aria-label": texts.label });
  const follow = element("input", { type: "checkbox", onChange: () => {
    app.mapView.isFollowing.value = follow.checked;
    if (follow.checked) app.mapView.showDevice(app.selection.value.device);
  } });
  app.mapView.isFollowing.watch((value) => {
    follow.checked = value;
  });
  const title = element("h2");
  const dot = element("span.dot", { "aria-hidden": true });
  const facts = element("dl.facts");
  const face = faceView();
  const profile = profileForm();
  const fence = fenceForm(app);
  const history = element("a.button", {}, texts.history);
  card.append(
    element("header.card-head", {}, dot, face.element, title,
      element("button.quiet.icon-only", {
        type: "button", "aria-label": text.common.close, onClick: () => app.select({ device: null, event: null }),
      }, "×")),
    facts,
    element("div.row", {},
      element("label.check", {}, follow, texts.follow),
      element("button", { type: "button", onClick: () => app.mapView.showDevice(app.selection.value.device) },
        texts.showOnMap),
      history, removeButton(app)),
    fence.element, profile.element);

  let shownID = null;
  const draw = oncePerFrame(() => {
    const { device: id, event } = app.selection.value;
    const device = id === null ? null : app.devices.device(id);
    card.hidden = id === null;
    const isNew = id !== shownID;
    shownID = id;
    if (id === null) return;
    title.textContent = profiles.labelOf(id);
    if (profiles.colorOf(id)) dot.style.setProperty("--device", profiles.colorOf(id));
    else dot.style.removeProperty("--device");
    face.show(id);
    profile.show(id);
    fence.show(id, device?.fence);
    history.href = linkTo({ tab: "history", device: id, event: null });
    setChildren(facts, device
      ? factsOf(app, device) : element("p.hint", {}, texts.noData));
    // The card of an event is above this one and scrolls into view then.
    if (isNew && event === null) card.scrollIntoView({ block: "nearest" });
  });
  app.selection.watch(() => {
    if (app.selection.value.device === null) app.mapView.isFollowing.value = false;
    draw();
  });
  app.devices.changes.subscribe(draw);
  profiles.changes.subscribe(draw);
  setInterval(() => document.hidden || draw(), 5000);
  return card;
}

/** Removes the selected device with all that is stored of it; needs a second press. */
function removeButton(app) {
  const texts = text.live.deviceCard;
  const reset = () => {
    delete button.dataset.armed;
    button.textContent = texts.remove;
  };
  const button = element("button.danger", { type: "button", onBlur: reset, onClick: async () => {
    const id = app.selection.value.device;
    if (button.dataset.armed !== id) {
      button.dataset.armed = id;
      button.textContent = texts.confirmRemoval;
      return;
    }
    reset();
    try {
      await request("DELETE", `/v1/devices/${pathSegment(id)}?erase=true`);
      app.select({ device: null, event: null });
      app.devices.retain(app.devices.ids.filter((other) => other !== id));
      app.eventLog.removeDevice(id);
      app.toast(texts.removed(id));
    } catch (problem) {
      app.toast(problem.status === 403 ? texts.cannotRemove : problem.message, { tone: "bad" });
    }
  } }, texts.remove);
  return button;
}

function factsOf(app, device) {
  const texts = text.live.deviceCard;
  const at = device.lastLocation;
  const known = (value, write) => (value === null || value === undefined ? null : write(value));
  return [
    profiles.nameOf(device.id) !== device.id && fact(texts.id, device.id),
    at ? fact(texts.lastReport, formatAge(at.timestamp), formatDateTime(at.timestamp))
      : fact(texts.lastReport, texts.noPosition),
    device.isStale && fact(texts.status, texts.stale),
    at && fact(texts.position, `${at.latitude.toFixed(5)}, ${at.longitude.toFixed(5)}`,
      known(at.horizontalAccuracy, (value) => `± ${formatDistance(value)}`)),
    known(at?.speed, (value) => fact(texts.speed, value < 0.3 ? texts.still : formatSpeed(value),
      value < 0.3 ? null : known(at.course, formatHeading))),
    known(at?.batteryLevel, (value) => fact(texts.battery, `${Math.round(value * 100)} %`)),
    fact(texts.inside, device.regions.length
      ? device.regions.map((id, index) => [index ? ", " : "",
        element("a", {
          href: linkTo({ tab: "regions", region: id, device: null }), onClick: () => app.mapView.showRegion(id),
        }, app.regions.nameOf(id))])
      : texts.noRegion),
    device.visit && fact(texts.visit, device.visit.arrival
      ? texts.visitSince(formatDateTime(device.visit.arrival)) : texts.visitArrivalUnknown),
    device.fence && fact(texts.fence, fenceState(device.fence)),
  ];
}
