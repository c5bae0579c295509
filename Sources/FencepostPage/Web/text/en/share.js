/** The English texts of ... */
export const share = {
};
