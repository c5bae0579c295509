// The page's labels and colours for the names of the simulator's API.

import { text } from "../text/text.js";

const grantTones = {
  notDetermined: "neutral", restricted: "red", denied: "red", whenInUse: "blue", temporaryWhenInUse: "amber",
  provisionalAlways: "amber", always: "green",
};

/** The permission that an app is given, by the status that Core Location reports to it. */
const reportedGrants = {
  notDetermined: "notDetermined", restricted: "restricted", denied: "denied", authorizedWhenInUse: "whenInUse",
  authorizedAlways: "always",
};

/**
 * Text and colour of the permission that the user granted.
 * @returns {[string, string]}
 */
export const grantLabel = (grant) => [text.apps.grants[grant] ?? grant, grantTones[grant] ?? "neutral"];

/** The text of the permission that Core Location reports, if that is not the one that the user granted. */
export function differentReport({ reportedStatus, grant }) {
  const reported = reportedGrants[reportedStatus];
  return reported === grant ? null : text.apps.grants[reported] ?? reportedStatus;
}

const lifecycleTones = {
  foreground: "green", backgroundGrace: "blue", backgroundRunning: "blue", suspended: "amber",
};

/**
 * Text and colour of the app's lifecycle state.
 * @returns {[string, string]}
 */
export function lifecycleLabel({ lifecycle, terminatedBy }) {
  const { lifecycles, terminations } = text.apps;
  const tone = lifecycleTones[lifecycle];
  return tone ? [lifecycles[lifecycle], tone] : [terminations[terminatedBy] ?? lifecycles.terminated, "red"];
}

/** The steps of the API that the actions on an app take. */
export const actionSteps = {
  open: [{ do: "launch", by: "user" }],
  home: [{ do: "enterBackground" }],
  wait: [{ do: "wait", seconds: 60 }],
  terminate: [{ do: "terminate", by: "system" }],
  quit: [{ do: "terminate", by: "user" }],
  crash: [{ do: "terminate", by: "crash" }],
  reboot: [{ do: "terminate", by: "reboot" }],
  unlock: [{ do: "unlock" }],
};

/** The services that monitor beacons. */
export const beaconServices = ["regionBeacon", "clMonitorBeacon"];

/**
 * The steps by which a beacon comes near an app that monitors beacons, and goes away; none for other apps.
 * @param {{service: string, identifier?: string}[]} services what the app has started.
 */
export function beaconSteps(services) {
  const used = services.filter(({ service }) => beaconServices.includes(service));
  const steps = (isNear) => used.map(({ service, identifier }) => ({
    do: "event", service, kind: kindOf(service, isNear), ...(identifier && { identifier }),
  }));
  return used.length > 0 ? { beaconNear: steps(true), beaconGone: steps(false) } : {};
}

const kindOf = (service, isNear) => (service === "clMonitorBeacon" ? isNear ? "satisfied" : "unsatisfied"
  : isNear ? "enter" : "exit");
