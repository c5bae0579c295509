/** The English texts of ... */
export const phones = {
};
