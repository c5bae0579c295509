import { plural } from "./common.js";

/** The English texts of the view Apps, and of the decisions on events. */
export const apps = {
  title: "Apps",
  heading: "Simulated apps",
  intro: "Simulates iOS for an app on these devices: whether the app would receive each event, whether iOS would "
    + "relaunch it if it is terminated, and which rule decides.",
  loading: "Loading apps …",
  empty: {
    title: "No simulated apps",
    hint: "Add an app that the system has terminated, then walk a device into a region. The card shows whether iOS "
      + "would relaunch the app.",
  },

  form: {
    title: "Add an app",
    name: "Name",
    nameExample: "Courier",
    devices: "Devices",
    devicesHint: "several, or a pattern such as van-*",
    everyDevice: "every device",
    state: "App state",
    /** The states of a new app: the state, and who terminated it. */
    states: {
      "terminated/system": "terminated by the system", "terminated/user": "force-quit by the user",
      suspended: "suspended", foreground: "in the foreground",
    },
    permission: "Location permission",
    permissions: {
      always: "Always", whenInUse: "While Using the App", provisionalAlways: "Provisional Always", denied: "Never",
    },
    version: "iOS version",
    services: "Location services",
    regions: "regions",
    visits: "visits",
    significant: "significant changes",
    conditions: "conditions (CLMonitor)",
    beacons: "beacon regions",
    beaconConditions: "beacon conditions (CLMonitor)",
    session: "holds a service session for Always",
    sessionHint: "From iOS 18 conditions need it in the background. No location reports a beacon: the card has "
      + "actions for that.",
    submit: "Add the app",
  },

  card: {
    label: (name) => `App ${name}`,
    remove: "Remove",
    removed: (name) => `${name} was removed.`,
    undo: "Undo",
    app: "App",
    granted: "Granted",
    reported: (permission) => `≠ reported to the app: “${permission}”`,
    accuracy: "Accuracy",
    uses: "Uses",
    noService: "no location service",
    platform: "Platform",
    platformNote: (devices, steps, id) => `devices ${devices}, ${plural(steps, "step")} taken, id ${id}`,
    actions: "Actions",
    actionsOn: (name) => `Actions on ${name}`,
    settings: "In Settings",
    settingsOf: (name) => `Change in Settings for ${name}`,
    set: "Set",
    settingsStep: (setting) => `Settings: ${setting}`,
    stepEffects: (step, effects) => `${step}: ${effects}`,
    stepEffect: (step, effect) => [step, ": ", effect],
    noEffect: "no effect",
    rules: "Rules",
    decisions: "Decisions",
    loadingDecisions: "Loading decisions …",
    noDecisions: "No decisions yet.",
    showMore: "Show more",
  },

  /** The events that a location service gives an app, by their kind in the API. The name of the region may be empty. */
  events: {
    enter: (device, region) => `${device} entered ${region}`,
    exit: (device, region) => `${device} left ${region}`,
    arrival: (device, region) => `${device} arrived ${region}`,
    departure: (device, region) => `${device} departed ${region}`,
    significantChange: (device, region) => `${device} moved significantly ${region}`,
  },
  otherEvent: (device, kind, region) => `${device} ${kind} ${region}`,

  decision: {
    app: "app",
    startsInForeground: "starts the app",
    startsInBackground: "starts the app in the background",
    wakes: "wakes the app",
    later: (outcome) => `later ${outcome}`,
    settled: "settled",
    because: (service, reason) => `${service}: ${reason}`,
    howSure: (words) => `How sure: ${words}`,
    uncertain: (warnings) => `Uncertain: ${warnings}`,
    decidedBy: (rule, others) => ["Decided by ", rule, others > 0 && ` and ${others} more`],
    readingRules: "Reading the rules …",
    unknownRule: "This rule is not known.",
  },

  outcomesTitle: "Outcomes",
  outcomes: {
    delivered: "delivered", queued: "queued", held: "held", dropped: "dropped", notMonitored: "not monitored",
    lost: "lost",
  },
  /** The meaning of each outcome, for the legend. */
  outcomeMeanings: {
    delivered: "the app gets it",
    queued: "waits until the app runs again",
    held: "waits for the user’s answer to the second prompt",
    dropped: "never reaches the app",
    notMonitored: "the service produces nothing now",
    lost: "the app runs, but nothing in it takes the event",
  },

  services: {
    standardUpdates: "Standard updates", requestLocation: "One location", significantChange: "Significant changes",
    visits: "Visits", regionCircular: "Regions", regionBeacon: "Beacon regions", beaconRanging: "Beacon ranging",
    heading: "Heading", clMonitorCircular: "Conditions", clMonitorBeacon: "Beacon conditions",
    liveUpdates: "Live updates", locationPush: "Location push", locationNotification: "Location notification",
  },
  /** The permission that the user granted. */
  grants: {
    notDetermined: "not determined", restricted: "restricted", denied: "denied", whenInUse: "when in use",
    temporaryWhenInUse: "when in use, once", provisionalAlways: "provisional always", always: "always",
  },
  lifecycles: {
    foreground: "in the foreground", backgroundGrace: "in the background, not suspended yet",
    backgroundRunning: "running in the background", suspended: "suspended", terminated: "terminated",
  },
  /** The state of a terminated app, by what terminated it. */
  terminations: {
    system: "terminated by the system", user: "force-quit by the user", crash: "crashed",
    reboot: "terminated by a restart", neverLaunched: "never launched",
  },
  accuracies: { full: "full", reduced: "reduced", temporaryFull: "full, temporarily" },

  /** The actions on an app: the label of the button, and its tooltip. */
  actions: {
    open: { label: "Open", hint: "The user taps the app’s icon." },
    home: { label: "Go to Home Screen", hint: "The app enters the background." },
    wait: { label: "Wait 1 minute", hint: "iOS suspends an app in the background within this time." },
    terminate: { label: "System terminates", hint: "iOS needs memory. It may relaunch the app for an event." },
    quit: { label: "Force quit", hint: "The user swipes the app away in the app switcher." },
    crash: { label: "Crash", hint: "The app crashes." },
    reboot: { label: "Reboot", hint: "The device restarts and is still locked." },
    unlock: { label: "Unlock", hint: "The first unlock after a restart." },
    beaconNear: { label: "Beacon near", hint: "A beacon that the app monitors comes near." },
    beaconGone: { label: "Beacon gone", hint: "The beacon is no longer near." },
  },
  /** The choices of the user in Settings. */
  settings: {
    never: "Never", askNextTime: "Ask Next Time", whileUsing: "While Using the App", always: "Always",
    preciseOn: "Precise Location on", preciseOff: "Precise Location off", locationServicesOff: "Location Services off",
    locationServicesOn: "Location Services on", resetLocationAndPrivacy: "Reset Location & Privacy",
  },
};
