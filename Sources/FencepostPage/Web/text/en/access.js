/** The English texts of ... */
export const access = {
};
