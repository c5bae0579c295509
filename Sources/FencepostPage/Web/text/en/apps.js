/** The English texts of ... */
export const apps = {
};
