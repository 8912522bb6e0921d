// The parts switched off after a click; the first click replaces the example.
export function pressed(off, key, isExample) {
  const next = new Set(isExample ? [] : off);
  if (off.has(key)) next.delete(key);
  else next.add(key);
  return next;
}
