// The page's texts for the names of the simulator's API.

export const outcomes = {
  delivered: "delivered", queued: "queued", held: "held", dropped: "dropped", notMonitored: "not monitored",
  lost: "lost",
};

/** The meaning of each outcome, for the legend. */
export const outcomeMeanings = {
  delivered: "the app gets it",
  queued: "waits until the app runs again",
  held: "waits for the user’s answer to the second prompt",
  dropped: "never reaches the app",
  notMonitored: "the service produces nothing now",
  lost: "the app runs, but nothing in it takes the event",
};

export const services = {
  standardUpdates: "Standard updates", requestLocation: "One location", significantChange: "Significant changes",
  visits: "Visits", regionCircular: "Regions", regionBeacon: "Beacon regions", beaconRanging: "Beacon ranging",
  heading: "Heading", clMonitorCircular: "Conditions", clMonitorBeacon: "Beacon conditions",
  liveUpdates: "Live updates", locationPush: "Location push", locationNotification: "Location notification",
};

/** Verbs of event kinds; a device id precedes them. */
export const kindVerbs = {
  enter: "entered", exit: "left", arrival: "arrived", departure: "departed", significantChange: "moved significantly",
};

/** Text and colour of the permission that the user granted. */
export const grants = {
  notDetermined: ["not determined", "neutral"],
  restricted: ["restricted", "red"],
  denied: ["denied", "red"],
  whenInUse: ["when in use", "blue"],
  temporaryWhenInUse: ["when in use, once", "amber"],
  provisionalAlways: ["provisional always", "amber"],
  always: ["always", "green"],
};

const terminationCauses = {
  system: "terminated by the system", user: "force-quit by the user", crash: "crashed",
  reboot: "terminated by a restart", neverLaunched: "never launched",
};

/** Text and colour of the app's lifecycle state. */
export function lifecycle({ lifecycle: name, terminatedBy }) {
  switch (name) {
    case "foreground": return ["in the foreground", "green"];
    case "backgroundGrace": return ["in the background, not suspended yet", "blue"];
    case "backgroundRunning": return ["running in the background", "blue"];
    case "suspended": return ["suspended", "amber"];
    default: return [terminationCauses[terminatedBy] ?? "terminated", "red"];
  }
}

export const reportedStatuses = {
  notDetermined: "not determined", restricted: "restricted", denied: "denied", authorizedWhenInUse: "when in use",
  authorizedAlways: "always",
};

export const accuracies = { full: "full", reduced: "reduced", temporaryFull: "full, temporarily" };

/** The actions on an app: the button's label, the steps of the API, and the tooltip. */
export const actions = [
  ["Open", [{ do: "launch", by: "user" }], "The user taps the app’s icon."],
  ["Go to Home Screen", [{ do: "enterBackground" }], "The app enters the background."],
  ["Wait 1 minute", [{ do: "wait", seconds: 60 }], "iOS suspends an app in the background within this time."],
  ["System terminates", [{ do: "terminate", by: "system" }], "iOS needs memory. It may relaunch the app for an event."],
  ["Force quit", [{ do: "terminate", by: "user" }], "The user swipes the app away in the app switcher."],
  ["Crash", [{ do: "terminate", by: "crash" }], "The app crashes."],
  ["Reboot", [{ do: "terminate", by: "reboot" }], "The device restarts and is still locked."],
  ["Unlock", [{ do: "unlock" }], "The first unlock after a restart."],
];

/** The choices of the user in Settings. */
export const settings = {
  never: "Never", askNextTime: "Ask Next Time", whileUsing: "While Using the App", always: "Always",
  preciseOn: "Precise Location on", preciseOff: "Precise Location off", locationServicesOff: "Location Services off",
  locationServicesOn: "Location Services on", resetLocationAndPrivacy: "Reset Location & Privacy",
};
