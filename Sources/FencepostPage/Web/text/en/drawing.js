/** The English texts of ... */
export const drawing = {
};
