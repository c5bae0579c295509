/** The English texts of ... */
export const map = {
};
