/** The English texts of ... */
export const reports = {
};
