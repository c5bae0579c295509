/** The English texts of ... */
export const webhooks = {
};
