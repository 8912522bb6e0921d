// Links: where one leads, and what of it makes a visit another one.

// Where a link leads, and what it presses there. The address bar follows the tab and the view, so they begin no visit.
export const WAY = ['tab', 'view', 'choose', 'once', 'see', 'press', 'start'];

// What a link sets beside where it leads.
export function settingsOf(search) {
  const query = new URLSearchParams(search);
  for (const name of WAY) query.delete(name);
  return query.toString();
}

// Whether what was kept is of this link.
export const isSameVisit = (kept, search) =>
  kept?.search !== undefined && settingsOf(kept.search) === settingsOf(search);
