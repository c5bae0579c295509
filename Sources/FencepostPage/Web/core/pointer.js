/** Whether people point with their fingers here: then they tap, and nothing follows a pointer. */
export const isTouch = () => matchMedia("(pointer: coarse)").matches;
