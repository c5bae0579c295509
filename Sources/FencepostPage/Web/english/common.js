/** A number with its noun: `1 device`, `1,200 devices`. */
export const plural = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** Where an alert is, if it is about a region. */
const at = (region) => (region ? ` at ${region}` : "");

/** The English texts of what several parts of the page share: units, times, types of events, buttons. */
export const common = {
  brand: "Fencepost",
  cancel: "Cancel",
  close: "Close",
  delete: "Delete",
  optional: "(optional)",
  tryAgain: "Try again",
  noPermission: "No permission",
  loadingFailed: "Loading failed",
  devices: (count) => plural(count, "device"),
  /** A device whose name others have too, with what distinguishes it. */
  namesake: (name, part) => `${name} (${part})`,
  /** Of several announcements for screen readers the last one is read, with the number of the others. */
  andMore: (announcement, count) => `${announcement}, and ${count} more`,
  addresses: (attribution) => `Addresses: ${attribution}`,
  noAnswer: "The service does not answer.",
  answered: (status) => `The service answered ${status}.`,
  tokenRefused: "The token is unknown, expired or revoked.",
  sessionEnded: "Your session has ended.",
  units: {
    "m": "m",
    "km": "km",
    "ft": "ft",
    "mi": "mi",
    "m/s": "m/s",
    "km/h": "km/h",
    "mph": "mph",
    "knots": "knots",
    "B": "B",
    "kB": "kB",
    "MB": "MB",
    "GB": "GB",
    "TB": "TB",
  },
  /** The units of fields for lengths, behind the name of the field. */
  lengthUnits: { metric: "metres", imperial: "feet" },
  compass: { n: "N", ne: "NE", e: "E", se: "SE", s: "S", sw: "SW", w: "W", nw: "NW" },
  time: {
    unknown: "unknown",
    seconds: (seconds) => `${seconds} s`,
    minutes: (minutes) => `${minutes} min`,
    minutesAndSeconds: (minutes, seconds) => `${minutes} min ${seconds} s`,
    hours: (hours) => `${hours} h`,
    days: (days) => `${days} d`,
    hoursAndMinutes: (hours, minutes) => `${hours} h ${minutes} min`,
    daysAndHours: (days, hours) => `${days} d ${hours} h`,
    future: (duration) => `in ${duration}`,
    justNow: "just now",
    past: (duration) => `${duration} ago`,
    today: "today",
    between: (earliest, latest) => `between ${earliest} and ${latest}`,
    /** The zone of the page where it is not that of the browser. */
    otherZone: (zone, browser) => `${zone}, not that of this browser, ${browser}`,
    unknownZone: (zone, browser) => `This browser does not know the time zone ${zone}. Times are in ${browser}.`,
  },
  events: {
    /** Each type of event without its subject, for lists. */
    verbs: {
      "region.entered": "entered",
      "region.exited": "left",
      "region.dwelled": "stayed in",
      "visit.arrived": "arrived at a place",
      "visit.departed": "departed from a place",
      "device.stale": "stopped reporting",
      "device.recovered": "reports again",
      "app.relaunched": "started an app",
      "alert.speed": "drives too fast",
      "alert.battery": "has a low battery",
      "alert.accuracy": "has an inaccurate position",
      "alert.jump": "jumped",
      "alert.unplugged": "was unplugged",
      "alert.absent": "is missing",
      "alert.present": "is still",
      "alert.silent": "has sent no location",
      "fence.armed": "was armed",
      "fence.broken": "was moved",
      "fence.disarmed": "was disarmed",
      "proximity.entered": "came near another device",
      "proximity.exited": "parted from another device",
      "proximity.dwelled": "stayed near another device",
      "proximity.unaccompanied": "left another device",
      "plan.visited": "visited in time",
      "plan.late": "was late at",
      "plan.missed": "missed",
      "plan.completed": "ended a round",
      "endpoint.disabled": "was disabled",
      "delivery.exhausted": "could not be delivered",
      "webhook.test": "was tested",
      "report.ready": "was sent",
    },
    /** The subject of an event that names neither a device nor an endpoint. */
    service: "The service",
    /** Sentences for lists and screen readers. Where a list is about one device, the device is an empty text. */
    sentences: {
      "visit.arrived": (device) => `${device} arrived at a place`,
      "visit.departed": (device) => `${device} departed from a place`,
      "device.stale": (device) => `${device} stopped reporting`,
      "device.recovered": (device) => `${device} reports again`,
      "app.relaunched": (device) => `${device} started an app`,
      "fence.armed": (device) => `${device} is watched where it stands`,
      "fence.broken": (device) => `${device} was moved`,
      "fence.disarmed": (device) => `${device} is no longer watched where it stood`,
      "plan.completed": (device) => `${device} ended a round`,
      "endpoint.disabled": (endpoint) => `${endpoint} was disabled`,
      "delivery.exhausted": (endpoint) => `${endpoint} could not be delivered`,
      "webhook.test": (endpoint) => `${endpoint} was tested`,
      "report.ready": (report) => `${report} was sent`,
    },
    /** Two devices; the distance or the duration may be unknown. */
    pairs: {
      "proximity.entered": (device, other, distance) => `${device} came near ${other}: ${distance} apart`,
      "proximity.exited": (device, other, distance) => `${device} and ${other} are ${distance} apart`,
      "proximity.dwelled": (device, other, distance, duration) => `${device} has been near ${other} for ${duration}`,
      "proximity.unaccompanied": (device, other) => `${device} went away without ${other}`,
    },
    /** A device that has left its fence, with the distance from where it stood. */
    fenceBroken: (device, distance) => `${device} was moved: ${distance} from where it stood`,
    /** The end of a round, with how many places were visited in time. */
    roundOver: ({ device, plan, visited, places, late, missed }) =>
      `${device} ended the round ${plan}: ${visited} of ${places} in time, ${late} late, ${missed} missed`,
    inRegion: {
      "plan.visited": (device, region) => `${device} visited ${region} in time`,
      "plan.late": (device, region) => `${device} was late at ${region}`,
      "plan.missed": (device, region) => `${device} missed ${region}`,
      "region.entered": (device, region) => `${device} entered ${region}`,
      "region.exited": (device, region) => `${device} left ${region}`,
      "region.dwelled": (device, region) => `${device} stayed in ${region}`,
    },
    /** Visits in one region or several, which are one text. */
    visits: {
      "visit.arrived": (device, regions) => `${device} arrived at ${regions}`,
      "visit.departed": (device, regions) => `${device} departed from ${regions}`,
    },
    /** Alerts that begin; `region` is undefined for those of no region. */
    alerts: {
      "alert.speed": (device, region) => `${device} drives too fast${at(region)}`,
      "alert.battery": (device, region) => `${device} has a low battery${at(region)}`,
      "alert.accuracy": (device, region) => `${device} has an inaccurate position${at(region)}`,
      "alert.jump": (device, region) => `${device} jumped${at(region)}`,
      "alert.unplugged": (device, region) => `${device} was unplugged${at(region)}`,
      "alert.absent": (device, region) => `${device} is missing${at(region)}`,
      "alert.present": (device, region) => `${device} is still${at(region)}`,
      "alert.silent": (device, region, duration) => `${device} has sent no location for ${duration}`,
    },
    alertsEnded: {
      "alert.speed": (device, region) => `${device} no longer drives too fast${at(region)}`,
      "alert.battery": (device, region) => `${device} no longer has a low battery${at(region)}`,
      "alert.accuracy": (device, region) => `${device} has an accurate position again${at(region)}`,
      "alert.unplugged": (device, region) => `${device} has external power again${at(region)}`,
      "alert.absent": (device, region) => `${device} is no longer missing${at(region)}`,
      "alert.present": (device, region) => `${device} no longer stays too long${at(region)}`,
      "alert.silent": (device, region, duration) => `${device} reports again after ${duration}`,
    },
    /** An alert with what was measured, with what its rule allows, or with both. */
    withValue: (alert, value) => `${alert}: ${value}`,
    withLimit: (alert, limit) => `${alert}: limit ${limit}`,
    withValueAndLimit: (alert, value, limit) => `${alert}: ${value}, limit ${limit}`,
    /** Events of a type that this page does not know. */
    other: (subject, type) => `${subject} ${type}`,
    otherInRegion: (subject, type, region) => `${subject} ${type} ${region}`,
  },
};
