import { plural } from "./common.js";

const joined = (names) => (names.length < 3 ? names.join(" and ")
  : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`);
const upper = (sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
const holding = (duration) => (duration ? ` for ${duration}` : "");
const inside = (region) => (region ? ` in ${region}` : "");

/** The English texts of the view Alerts. */
export const alerts = {
  title: "Alerts",
  heading: "Alerts",
  intro: "A rule watches devices and reports when its condition begins and when it ends, in Live and in messages.",
  loading: "Loading rules …",
  empty: {
    title: "No rules",
    hint: "Add a rule, such as one for devices that drive too fast or have a low battery. Messages says where its "
      + "alerts are sent.",
  },

  /** Who a rule watches, as the beginning of its sentence. */
  everyDevice: "every device",
  devices: joined,
  group: (tag) => `group ${tag}`,
  noDevice: "no device",
  /** A rule in words: of `who`, and of what the rule compares. */
  sentences: {
    speed: ({ who, above, duration, region }) =>
      upper(`${who} faster than ${above}${holding(duration)}${inside(region)}`),
    battery: ({ who, below, duration, region }) =>
      upper(`${who} with a battery of ${below} or less${holding(duration)}${inside(region)}`),
    accuracy: ({ who, above, duration, region }) =>
      upper(`${who} less accurate than ${above}${holding(duration)}${inside(region)}`),
    jump: ({ who, above }) => upper(`${who} jumping, as if faster than ${above}`),
    unplugged: ({ who, duration, region }) =>
      upper(`${who} without external power${holding(duration)}${inside(region)}`),
    absent: ({ who, time, days, region, zone }) => upper(`${who} not in ${region} by ${time}${days}, ${zone}`),
    present: ({ who, time, days, region, zone }) => upper(`${who} still in ${region} at ${time}${days}, ${zone}`),
    silent: ({ who, above, duration }) => upper(above ? `${who} silent for more than ${above}`
      : `${who} silent for longer than usual${duration ? `, at least ${duration}` : ""}`),
  },
  days: (days) => ` (${days})`,

  now: {
    title: "Alerting now",
    none: "No device alerts now.",
    since: (age) => `began ${age}`,
    speedLimit: (region) => `Speed limit of ${region}`,
    more: (count) => `and ${plural(count, "more device")}`,
  },

  card: {
    label: (sentence) => `Rule: ${sentence}`,
    configured: "in the configuration file",
    configuredHint: "This rule is in monitor.alerts of the configuration. Change it there, and start the service "
      + "again.",
    change: "Change",
    remove: "Remove",
    removed: (sentence) => `Removed: ${sentence}.`,
    undo: "Undo",
    alerting: (count) => `${plural(count, "device")} now`,
  },

  /** Rules about devices that are near each other. */
  pairs: {
    title: "Who is near whom",
    intro: "A rule reports once that two devices come near each other, and once that they part. Both positions are "
      + "compared at one time, with their accuracies.",
    add: "Watch devices for being near each other",
    sentence: (who, others, distance) => upper(others ? `${who} within ${distance} of ${others}`
      : `${who} within ${distance} of each other`),
    dwells: (duration) => `also after ${duration}`,
    leaves: "also when one leaves the other",
    distance: (unit) => `Near each other up to (${unit})`,
    others: "Watched against",
    othersHint: "empty for each other",
    eachOther: "each other",
    otherGroups: "Groups to watch against",
    dwell: "Report a dwell after (minutes)",
    never: "never",
    unaccompanied: "Report that one goes away while the other stays",
    hours: "Hours",
    hoursHint: "such as Mon-Fri 08:00-18:00; empty for always",
    always: "always",
    added: "The rule applies from the next location of each pair on.",
    configuredHint: "This rule is in monitor.proximity of the configuration. Change it there, and start the service "
      + "again.",
  },

  form: {
    title: "Add a rule",
    changing: (sentence) => `Change: ${sentence}`,
    type: "Report when a device",
    types: {
      speed: "is too fast", battery: "has a low battery", silent: "is silent", absent: "is missing at a time",
      present: "is still there at a time", accuracy: "has an inaccurate position", unplugged: "loses external power",
      jump: "jumps",
    },
    speed: (unit) => `Faster than (${unit})`,
    battery: "Level at or below (%)",
    accuracy: (unit) => `Less accurate than (${unit})`,
    silent: "Silent for more than (minutes)",
    silentHint: "empty for what is unusual for the device",
    hold: "For at least (seconds)",
    usual: "the usual",
    region: "Region",
    regionOptional: "only while the device is in it",
    everywhere: "everywhere",
    by: "By",
    at: "At",
    days: "Days",
    dayChoices: { "": "every day", "Mon-Fri": "Monday to Friday", "Sat,Sun": "Saturday and Sunday" },
    zone: "Time zone",
    devices: "Devices",
    devicesHint: "several, or a pattern such as van-*",
    everyDevice: "every device",
    groups: "Groups",
    groupsHint: "their devices, also those that join later",
    noGroup: "none",
    submit: "Add the rule",
    save: "Save",
    cancel: "Cancel",
    added: "The rule applies from the next location of each device on.",
  },
};
