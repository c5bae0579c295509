/** The English texts of ... */
export const live = {
};
