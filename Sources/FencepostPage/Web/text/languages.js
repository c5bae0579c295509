import { english } from "../english/texts.js";
import { german } from "../german/texts.js";

/**
 * The languages of the page, by the first part of their tags. A translation is a folder with the same objects as
 * `english/`; it may lack texts, which stay English.
 */
export const languages = { en: english, de: german };
