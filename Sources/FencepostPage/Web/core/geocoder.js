// The geocoder of the service, where the configuration names one. The page itself asks no other host.

import { text } from "../text/text.js";
import { element } from "./dom.js";

/** @type {HTMLMetaElement | null} */
const settings = document.querySelector("meta[name=fencepost-geocoder]");

/** `query` are the parameters that ask a list for addresses; empty without a geocoder. */
export const geocoder = {
  isOn: settings?.content === "on",
  query: settings?.content === "on" ? { addresses: true } : {},
};

/** What the license of the addresses wants to be shown with them. */
export const addressAttribution = () =>
  element("small.hint", {}, text.common.addresses(settings.dataset.attribution));
