import { plural } from "./common.js";

/** The English texts of the tab Reports. */
export const reports = {
  title: "Reports",
  device: "Device",
  week: "Week of",
  timeZone: (name) => `(time zone ${name})`,
  of: "Summary, visits and trips of",
  ofDevice: "this device",
  ofAll: "all devices",
  ofGroup: (tag) => `group ${tag}`,
  by: "Summary by",
  byChoices: { device: "device", group: "group", region: "region", tag: "tag" },
  period: "and",
  periods: { day: "day", week: "week", month: "month" },
  dayStart: "day begins at",
  show: "Show",
  loading: "Loading …",
  empty: { title: "No devices", hint: "Reports show the history of devices. Send or import locations first." },

  lanes: {
    title: "The week",
    span: (start, end) => `${start} to ${end}`,
    unknown: (span) => `Unknown: ${span}`,
    stay: (region, span) => `${region}: ${span}`,
  },
  hours: {
    title: "Time in regions by hour",
    label: (duration) => `${duration} in regions, by weekday and hour`,
    hour: (weekday, hour, duration) => `${weekday} ${hour}: ${duration}`,
  },
  distances: { title: "Distance by day" },

  summary: {
    title: "Summary",
    none: "No data in this week.",
    table: "Summary table",
    from: "From",
    inside: "Inside",
    visits: "Visits",
    trips: "Trips",
    distance: "Distance",
    unknown: "Unknown",
    total: "Total",
    search: "Search the summary",
    count: (shown, all) => (shown < all ? `The first ${shown} of ${all} rows` : plural(all, "row")),
    saveAsCSV: "Save as CSV",
    saveAsExcel: "Save as Excel file",
    saveAsGeoParquet: "Save as GeoParquet",
    notLoaded: "The file could not be loaded.",
  },

  visits: {
    title: "Visits",
    none: "No visits in this week.",
    heading: (place, device) => [place, device].filter(Boolean).join(" · "),
    /** When it was, as far as that is known. */
    visit: ({ arrival, departure, duration }) => {
      if (arrival && departure) return `${arrival} to ${departure}, ${duration}`;
      if (arrival) return `since ${arrival}`;
      return departure ? `until ${departure}` : "since before the first location";
    },
    first: (shown) => `These are the first ${shown} visits. The file has all.`,
  },

  trips: {
    title: "Trips",
    none: "No trips in this week.",
    /** How somebody travels, by the name in the API. */
    modes: {
      still: "still", walking: "walking", cycling: "cycling", driving: "driving", rail: "rail", air: "air",
    },
    heading: (time, mode, device) => [time, mode, device].filter(Boolean).join(" · "),
    first: (shown, all) => `These are the first ${shown} of ${all} trips. The file has all.`,
    trip: ({ start, end, distance, duration, speed }) =>
      `${start} → ${end}, ${distance} in ${duration}${speed ? `, up to ${speed}` : ""}`,
    leg: ({ mode, distance, duration }) => `${mode} ${distance} in ${duration}`,
    legSeparator: " · ",
  },

  schedules: {
    title: "Sent on a schedule",
    none: "No report is sent yet.",
    noEndpoint: "Add an email, ntfy, Telegram or Discord endpoint under Messages to have reports sent.",
    add: "Send this by mail …",
    name: "Name",
    nameExample: "Vans, last week",
    report: "Report",
    reports: { summaries: "summary", trips: "trips", visits: "visits" },
    group: "Group",
    allDevices: "all devices",
    device: "Device or pattern",
    frequency: "How often",
    frequencies: { daily: "every day", weekly: "every week", monthly: "every month" },
    firstDay: "On",
    weekdays: {
      monday: "Monday", tuesday: "Tuesday", wednesday: "Wednesday", thursday: "Thursday", friday: "Friday",
      saturday: "Saturday", sunday: "Sunday",
    },
    at: "At",
    zone: "Time zone",
    format: "File",
    formats: { xlsx: "Excel", csv: "CSV" },
    to: "To",
    endpoint: (name, kind) => `${name} (${kind})`,
    submit: "Save",
    added: (name) => `${name} will be sent.`,
    send: "Send now",
    sent: (name) => `${name} is on its way.`,
    pause: "Pause",
    resume: "Resume",
    remove: "Remove",
    paused: "Paused.",
    next: (time) => `Next: ${time}.`,
    titles: { summaries: "Summary", trips: "Trips", visits: "Visits" },
    /** What a schedule sends, such as `Trips every day at 07:00 (Europe/Lisbon) to Office.` */
    line: ({ report, frequency, firstDay, at, timeZone, to }) => {
      const often = reports.schedules.frequencies[frequency];
      const day = firstDay ? ` on ${reports.schedules.weekdays[firstDay]}` : "";
      return `${reports.schedules.titles[report]} ${often}${day} at ${at} (${timeZone}) to ${to}.`;
    },
  },

  suggestions: {
    title: "Frequent places",
    none: "No place has three visits or more in the last 92 days.",
    facts: ({ visits, duration, hours, radius }) =>
      `${plural(visits, "visit")}, ${duration}, ${hours}, radius ${radius} m`,
    lastMonth: (entries, exits) =>
      `As a region, the last month would have had ${entries} entries and ${exits} exits.`,
    name: "Name of the region",
    numbered: (number) => `Place ${number}`,
    add: "Make it a region",
    added: (name) => `Region ${name} was added.`,
  },
};
