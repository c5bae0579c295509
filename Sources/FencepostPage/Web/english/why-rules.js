/**
 * The English sentences for the rules that decide events. The keys are the raw values of the enum `Why.Rule` in
 * FencepostModel, as the member `why.rule` of an event has them; a test compares the keys with that enum, so each entry
 * is on its own line, and nothing else is in this file.
 */
export const whyRules = {
  "clear_fix": "One position decided: its distance from the boundary is greater than its error.",
  "fixes_agree": "Several positions agreed, weighted by accuracy.",
  "fixes": "The device’s positions were at one place for most of the minimum stay.",
  "hole": "The positions before and after a gap are at one place, so the device stayed there.",
  "silence": "The last positions were at one place, and the device has not reported since.",
  "containment": "The position alone decided, without its accuracy.",
  "cushion_and_stay": "As in Core Location: the device crossed a buffer around the boundary and stayed there.",
  "no_further_fix": "One position was clearly on the other side, and the device has not reported since.",
  "passed_between_fixes": "Two consecutive positions are on opposite sides, so the device passed through.",
  "dwell_deadline": "The device was still inside at the end of the dwell time.",
  "initial_state": "This was the first known state of the device in this region.",
  "departure": "The device moved further away than the radius of a visit.",
  "departure_held_back": "The device did not return within the departure delay.",
  "next_stay": "The device began a stay at another place.",
  "maximum_gap": "The device reported no position for longer than the maximum gap of a visit.",
  "refuted": "The position after a silence shows that the device was under way in it.",
  "schedule_closed": "The schedule of the region closed.",
  "schedule_opened": "The schedule of the region opened.",
  "region_deleted": "The region was deleted.",
  "region_expired": "The region expired.",
  "condition_met": "The condition of the alert held for as long as its rule requires.",
  "positions_agree": "Two comparisons of both positions, each at one time, agreed.",
  "position_held": "Two comparisons agreed; one device had sent no later position, and was taken to be where it was.",
  "condition_ended": "The condition of the alert no longer holds.",
  "visit_in_window": "The device was at the place within its window, for at least the stay.",
  "visit_after_window": "The device was at the place after its window, and not within it.",
  "no_visit_in_window": "The window is over, and no position shows the device at the place within it.",
  "round_over": "No place of the round can change any more.",
};
