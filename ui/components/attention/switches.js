// What is switched off after a click on a part: an example goes with the first one, and is not added to.
export function pressed(off, key, isExample) {
  const next = new Set(isExample ? [] : off);
  if (off.has(key)) next.delete(key);
  else next.add(key);
  return next;
}
