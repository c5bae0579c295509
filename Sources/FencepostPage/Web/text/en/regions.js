/** The English texts of ... */
export const regions = {
};
