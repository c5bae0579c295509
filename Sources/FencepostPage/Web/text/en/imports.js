/** The English texts of ... */
export const imports = {
};
