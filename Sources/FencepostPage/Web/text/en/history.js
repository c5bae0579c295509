/** The English texts of ... */
export const history = {
};
