// Scroll positions that keep a tour's target visible next to its bar. Pure functions.

// Scroll offset: centres a target that fits into the free space; shows the top of a taller one.
//   target: {top, height} on screen; free: {top, bottom} of what nothing covers; room: of the frame around it.
export function scrollFor(target, free, room = 12) {
  const space = free.bottom - free.top;
  if (target.height + 2 * room > space) return target.top - room - free.top;
  if (target.top - room >= free.top && target.top + target.height + room <= free.bottom) return 0;
  return target.top + target.height / 2 - (free.top + free.bottom) / 2;
}

// The visible share of a target, relative to the most that the free space can show.
export function seenShare(target, free) {
  const top = Math.max(target.top, free.top);
  const bottom = Math.min(target.top + target.height, free.bottom);
  return Math.max(0, bottom - top) / Math.min(target.height, free.bottom - free.top);
}
