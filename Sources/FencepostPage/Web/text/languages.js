import { english } from "./en/english.js";

/** The languages of the page, by the first part of their tags. A translation may lack texts; those stay English. */
export const languages = { en: english };
