/** The English texts of the page of a share link. */
export const share = {
  title: "Shared positions",
  loading: "Loading …",
  map: "Map. The list below has the same content.",
  positions: "Positions",
  until: (time) => `Until ${time}`,
  noPosition: "no position yet",
  ended: "This link has ended or was revoked.",
};
