import { plural } from "./common.js";

/** The English texts of the tab History. */
export const history = {
  title: "History",

  form: {
    title: "Device history",
    device: "Device",
    devicePlaceholder: "user/device",
    /** `zone` is the text below, in small letters. */
    day: (zone) => ["Day ", zone],
    timeZone: (name) => `(time zone ${name})`,
    previous: "Previous",
    next: "Next",
    numberOfDays: "Number of days",
    lengths: { 1: "one day", 3: "3 days", 7: "7 days", 14: "14 days", 31: "31 days" },
    show: "Show",
  },

  loading: "Loading …",
  noData: "No data for this period",
  noDataHint: (device) => `The service has no data of ${device} for these days.`,
  selectDevice: "Select a device",
  selectDeviceHint: "The list shows its stays and trips, the map its track, the time line its positions and events. "
    + "The card of a device in Live has a link to its history.",
  unknownDevice: "No such device",
  unknownDeviceHint: (device) => `The service knows no device “${device}”.`,
  /** `devices` are links. */
  didYouMean: (devices) => ["Did you mean ", devices, "?"],

  summary: (fixes) => `${plural(fixes, "fix", "fixes")} in this period.`,
  notAll: "Not all data are shown. Choose fewer days.",
  events: "Events",
  allEvents: (count) => `All events (${count.toLocaleString("en")})`,
  noEvents: "No events in this period.",
  noExplanation: "No explanation is stored for this event.",
  /** A span of time. */
  span: (from, to) => `${from} to ${to}`,

  /** The words for places that Google's files have instead of names. */
  namesOfKinds: { home: "Home", work: "Work" },

  /** The stays and trips of a day. */
  diary: {
    label: "Stays and trips",
    until: (to) => `until ${to}`,
    since: (from) => `since ${from}`,
    allTheTime: "all day",
    lastHeard: (from, to) => `since ${from}, last heard ${to}`,
    unnamed: "A place without a name",
    inside: (regions) => `in ${regions}`,
    near: (position) => `near ${position}`,
    /** `between` is a text of `common.time.between`. */
    arrived: (between) => `Arrived ${between}`,
    left: (between) => `Left ${between}`,
    /** Legs by their mode. */
    legs: {
      still: (distance) => `Moved a little, ${distance}`,
      walking: (distance) => `Walked ${distance}`,
      cycling: (distance) => `Cycled ${distance}`,
      driving: (distance) => `Drove ${distance}`,
      rail: (distance) => `Took a train, ${distance}`,
      air: (distance) => `Flew ${distance}`,
    },
    otherLeg: (distance, mode) => `${mode} ${distance}`,
    probably: (leg) => `${leg}, probably`,
    unknown: "No data",
    rest: "Neither a stay nor a trip",
    by: {
      still: "moving a little", walking: "on foot", cycling: "by bicycle", driving: "by car", rail: "by train",
      air: "by air",
    },
    total: {
      stays: (count, duration) => `${duration} at ${plural(count, "place")}`,
      mode: (distance, mode) => `${distance} ${mode}`,
      moved: (distances, duration) => `${distances.join(", ")} in ${duration}`,
      unknown: (duration) => `no data for ${duration}`,
      separator: " · ",
    },
  },

  /** The name of a stay in no region. */
  naming: {
    name: "Name of this place",
    save: "Save",
    hint: "The name becomes a region: all stays here get it, and from now on entries and exits are events.",
    saved: (name) => `The place is called ${name} now.`,
  },

  /** What the user states about a stay. */
  correction: {
    title: "Correct this stay",
    name: "What it was",
    region: "Place, if it was another one",
    from: "From",
    to: "Until",
    save: "Save the correction",
    join: "Join with the next stay",
    none: "There was no stay",
    takeBack: "Take the correction back",
    hint: "The history, trips and reports show this from now on. Positions and events stay as they are. With a shorter "
      + "time the rest stays a stay of its own.",
    saved: "The stay is corrected.",
    joined: "The stays are one now.",
    removed: "The stay is removed.",
    undo: "Undo",
  },

  player: {
    label: "Playback",
    previousEvent: "Previous event",
    play: "Play",
    pause: "Pause",
    nextEvent: "Next event",
    speed: "Playback speed",
    realTime: "real time",
    time: "Playback time",
    inRegions: (regions) => `in ${regions}`,
    inNoRegion: "in no region",
    /** `where` is one of the two texts above. */
    noPosition: (where) => `${where}, no position yet`,
    lastPosition: (duration) => `last position ${duration} before`,
  },

  zoom: {
    label: "Zoom of the time line",
    earlier: "Earlier",
    later: "Later",
    out: "Zoom out",
    in: "Zoom in",
    showAll: "Show all",
  },

  timeline: {
    label: "Time line",
    time: "Time",
    fixes: "Fixes",
    unknown: (from, to) => `Unknown: ${from} to ${to}`,
    fixesInPeriod: (count) => `${plural(count, "fix", "fixes")} in this period`,
    fixesAt: (time, count) => `${time}: ${plural(count, "fix", "fixes")}`,
    otherRegions: "Other regions",
    stay: (region, from, to, duration) => `${region}: ${from} to ${to}, ${duration}`,
    earlierDay: "an earlier day",
    laterDay: "a later day",
    lastHeard: (end) => `${end}, when it was last heard`,
    visits: "Visits",
    visit: (number, where) => `Visit ${number}: ${where}`,
    visitUnknownArrival: (number, where) => `Visit ${number}: ${where}, arrival unknown`,
    outsideRegions: "outside regions",
    events: "Events",
  },
};
