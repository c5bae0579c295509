// The properties of a region: what each means, and how it is written in a form.

/** Seconds or an ISO 8601 duration, or several with commas. */
const dwell = {
  write: (value) => (Array.isArray(value) ? value : [value]).join(", "),
  read: (text) => {
    const items = text.split(",").map((item) => item.trim()).filter(Boolean)
      .map((item) => (/^\d+(\.\d+)?$/.test(item) ? Number(item) : item));
    return items.length > 1 ? items : items[0];
  },
};

const words = {
  write: (value) => (Array.isArray(value) ? value : [value]).join(", "),
  read: (text) => {
    const items = text.split(",").map((item) => item.trim()).filter(Boolean);
    return items.length ? items : undefined;
  },
};

const number = { write: String, read: (text) => (text.trim() === "" ? undefined : Number(text)) };

const plain = { write: String, read: (text) => text || undefined };

const two = (value) => String(value).padStart(2, "0");

/** The local time that a date field shows, to the second. */
const moment = {
  write: (value) => {
    const date = new Date(typeof value === "number" ? value * 1000 : value);
    if (Number.isNaN(date.getTime())) return "";
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
      + `T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  },
  read: (text) => (text ? new Date(text).toISOString() : undefined),
};

const json = {
  write: (value) => JSON.stringify(value, null, 1),
  read: (text) => (text.trim() ? JSON.parse(text) : undefined),
};

/**
 * Every property that has a meaning of its own, in groups.
 *
 * `kind`: `text`, `number`, `switch` (with `standard`), `choice`, `time`, `json`, `schedule`. `write` and `read` turn a
 * value into text and back; `read` gives `undefined` for what is to be left out.
 */
export const groups = [
  {
    title: "What it is called",
    isOpen: true,
    fields: [
      { name: "name", label: "Name", kind: "text", ...plain,
        help: "For people: on this page, in events, in webhooks." },
      { name: "tags", label: "Tags", kind: "text", ...words, placeholder: "work, berlin",
        help: "Words with commas between them; events carry them, so that receivers can tell regions apart." },
    ],
  },
  {
    title: "What is told",
    isOpen: true,
    fields: [
      { name: "notifyOnEntry", label: "Tell when a device enters", kind: "switch", standard: true },
      { name: "notifyOnExit", label: "Tell when a device leaves", kind: "switch", standard: true },
      { name: "dwell", label: "Dwell", kind: "text", ...dwell, placeholder: "600, PT1H",
        help: "Tells when a device has been inside for so long: seconds, or PT10M for ten minutes, or several." },
      { name: "initialState", label: "When a device is first seen inside", kind: "choice",
        choices: [["", "it enters"], ["silent", "it is inside already, and nothing is told"]] },
    ],
  },
  {
    title: "How and when",
    fields: [
      { name: "crossing", label: "How fixes become crossings", kind: "choice",
        choices: [["", "as the service is set"],
          ["confirmed", "confirmed: the accuracy counts, a device at the boundary does not flap"],
          ["raw", "raw: each fix as it stands"],
          ["coreLocation", "coreLocation: as an iPhone, with a cushion and 20 s of stay"]] },
      { name: "schedule", label: "Schedule", kind: "schedule",
        help: "Open only at these times: a device inside enters when it opens and leaves when it closes." },
      { name: "expires", label: "Expires", kind: "time", ...moment,
        help: "From then on nobody is inside; whoever is leaves with the reason “expired”. In your local time." },
    ],
  },
  {
    title: "For whom",
    fields: [
      { name: "devices", label: "Devices", kind: "text", ...words, placeholder: "jane/*, van-?",
        help: "Only devices whose id fits one of these patterns; * is any text, ? one character. Empty is everyone." },
      { name: "minAltitude", label: "Lowest altitude, metres", kind: "number", ...number,
        help: "A fix below is outside; one without an altitude changes nothing." },
      { name: "maxAltitude", label: "Highest altitude, metres", kind: "number", ...number },
    ],
  },
  {
    title: "Handed through",
    fields: [
      { name: "metadata", label: "Metadata", kind: "json", ...json, placeholder: "{\"building\": 7}",
        help: "Any JSON, at most 4096 bytes; every event of the region carries it." },
    ],
  },
];

/** All names that have a field; other properties are kept as they are. */
export const known = new Set(groups.flatMap(({ fields }) => fields.map(({ name }) => name)));
