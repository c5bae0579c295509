import { plural } from "./common.js";

/** The English texts around the tabs: the app bar, signing in, messages over the page. */
export const shell = {
  skipToPanel: "Skip to the panel",
  map: "Map. The lists in the panel have the same content.",
  panel: "Panel",
  expandPanel: "Expand the panel",
  collapsePanel: "Collapse the panel",
  /** The edge between the panel and the map. */
  panelWidth: "Width of the panel",
  views: "Views",
  earlierEventsFailed: (reason) => `Earlier events could not be loaded: ${reason}`,
  status: {
    loading: "Loading …",
    loadingDevices: (count) => `Loading, ${plural(count, "device")} so far`,
    eventsOnly: "Events are live, positions are delayed",
    live: "Live",
    liveDevices: (count) => `Live, ${plural(count, "device")}`,
    connecting: "Connecting …",
    reconnecting: "Reconnecting …",
    offline: "Offline, waiting for the network",
    off: "Not connected",
  },
  menu: {
    menu: "Menu",
    more: "More views",
    theme: "Theme",
    themes: { system: "Same as system", light: "Light", dark: "Dark" },
    language: "Language",
    browserLanguage: "That of the browser",
    units: "Units",
    unitChoices: {
      language: "Those of the browser's language", metric: "Metres and kilometres", imperial: "Feet and miles",
    },
    timeZone: (name) => `All times are in the time zone ${name}.`,
    changeTimeZone: "Access has the choice of another one, under Your account.",
    description: "API description (OpenAPI)",
    signOut: "Sign out",
  },
  signIn: {
    intro: "Geofence and visit events, live.",
    name: "Name",
    password: "Password",
    token: "Access token",
    tokenHelp: (command, option) => [
      "The token proves that the service is yours. A new service prints one, which begins with fp_, once in the "
      + "terminal or the log in which it starts. To make another, run ", command,
      " in the folder of the service, or with its ", option, ". The page keeps the token only in this tab.",
    ],
    firstUser: "First user",
    firstUserHelp: "Choose a name and a password of at least 8 characters, and you do not need the token again. "
      + "You can also leave them empty.",
    signIn: "Sign in",
    provider: (name) => `Sign in with ${name}`,
    /** Between the button of the provider and the fields. */
    or: "or",
    administrators: "Password of an administrator",
    passwordsOff: (provider) => `Passwords are off for you here. Sign in with ${provider}.`,
    failed: (provider) => `The sign-in with ${provider} failed. Try again.`,
    /** Why a sign-in at the provider failed, by the code of the service. */
    failures: {
      provider_away: (provider) =>
        `${provider} does not answer as it should. Try again later, or ask an administrator.`,
      denied: (provider) => `You cancelled the sign-in, or ${provider} refused it.`,
      refused: (provider) => `${provider} knows you, but you may not use this Fencepost. Ask an administrator.`,
      expired: () => "The sign-in took more than ten minutes, or began in another browser. Try again.",
      invalid_token: (provider) =>
        `What ${provider} sent cannot be trusted. Ask an administrator: the log of the service says why.`,
      name_taken: (provider) => `Another user has the name that ${provider} sent for you. Ask an administrator.`,
    },
    usePassword: "Sign in with a name and a password",
    useToken: "Sign in with an access token",
    tooManyAttempts: (seconds) => `Too many attempts. Try again in ${seconds} s.`,
    noAnswer: "The service does not answer. Is it running?",
    cannotRead: "The token lacks the scope “read”.",
  },
};
