// What the simulator's names are called on the page.

export const outcomes = {
  delivered: "delivered", queued: "queued", held: "held", dropped: "dropped", notMonitored: "not monitored",
  lost: "lost",
};

/** What each outcome means, for the legend. */
export const meanings = {
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

/** Kinds of events, after the name of a device. */
export const kinds = {
  enter: "entered", exit: "left", arrival: "arrived", departure: "departed", significantChange: "moved far",
};

/** Word and tone of what the user gave. */
export const grants = {
  notDetermined: ["nothing yet", "neutral"],
  restricted: ["may not give any", "red"],
  denied: ["denied", "red"],
  whenInUse: ["when in use", "blue"],
  temporaryWhenInUse: ["when in use, this once", "amber"],
  provisionalAlways: ["always, provisionally", "amber"],
  always: ["always", "green"],
};

const ended = {
  system: "terminated by the system", user: "force-quit by the user", crash: "crashed",
  reboot: "terminated by a restart", neverLaunched: "never launched",
};

/** Word and tone of what the app is doing. */
export function lifecycle({ lifecycle: name, terminatedBy }) {
  switch (name) {
    case "foreground": return ["on screen", "green"];
    case "backgroundGrace": return ["background, just left", "blue"];
    case "backgroundRunning": return ["running in background", "blue"];
    case "suspended": return ["suspended", "amber"];
    default: return [ended[terminatedBy] ?? "terminated", "red"];
  }
}

export const reported = {
  notDetermined: "not determined", restricted: "restricted", denied: "denied", authorizedWhenInUse: "when in use",
  authorizedAlways: "always",
};

export const accuracies = { full: "full", reduced: "reduced", temporaryFull: "full, for a while" };

/** What can be done with an app: the words on the button, the steps, and what it stands for. */
export const deeds = [
  ["Open it", [{ do: "launch", by: "user" }], "The user taps its icon."],
  ["Leave it", [{ do: "enterBackground" }], "The user goes to the Home Screen."],
  ["A minute passes", [{ do: "wait", seconds: 60 }], "Long enough for an app in the background to be suspended."],
  ["System ends it", [{ do: "terminate", by: "system" }], "For memory; iOS may start it again for an event."],
  ["Force quit", [{ do: "terminate", by: "user" }], "The user swipes it away in the app switcher."],
  ["Crash", [{ do: "terminate", by: "crash" }], "The app ends by a mistake of its own."],
  ["Reboot", [{ do: "terminate", by: "reboot" }], "The phone starts anew and is not unlocked yet."],
  ["Unlock", [{ do: "unlock" }], "The first unlock after a restart."],
];

/** What the user can choose in Settings. */
export const settings = {
  never: "Never", askNextTime: "Ask Next Time", whileUsing: "While Using the App", always: "Always",
  preciseOn: "Precise Location on", preciseOff: "Precise Location off", locationServicesOff: "Location Services off",
  locationServicesOn: "Location Services on", resetLocationAndPrivacy: "Reset Location & Privacy",
};
