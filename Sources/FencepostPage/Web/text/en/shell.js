/** The English texts of ... */
export const shell = {
};
