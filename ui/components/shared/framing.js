// Where a page scrolls to so that what a tour points at is seen beside its bar. Nothing here touches the page.

// How far to scroll: what fits stands whole in the free space, in its middle; of what is taller the top is seen.
//   target: {top, height} on screen; free: {top, bottom} of what nothing covers; room: of the frame around it.
export function scrollFor(target, free, room = 12) {
  const space = free.bottom - free.top;
  if (target.height + 2 * room > space) return target.top - room - free.top;
  if (target.top - room >= free.top && target.top + target.height + room <= free.bottom) return 0;
  return target.top + target.height / 2 - (free.top + free.bottom) / 2;
}

// The share of a target that is seen in the free space, of as much as could be seen at once.
export function seenShare(target, free) {
  const top = Math.max(target.top, free.top);
  const bottom = Math.min(target.top + target.height, free.bottom);
  return Math.max(0, bottom - top) / Math.min(target.height, free.bottom - free.top);
}
