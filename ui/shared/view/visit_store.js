// Session storage of this visit, and what of a link makes a visit another one.
export const KEY = 'gptlens-visit';

// Where a link leads, and what it presses there. The address bar follows the tab and the view, so they begin no visit.
export const WAY = ['tab', 'view', 'choose', 'once', 'see', 'press', 'start'];

// What a link sets beside where it leads.
export function settingsOf(search) {
  const query = new URLSearchParams(search);
  for (const name of WAY) query.delete(name);
  return query.toString();
}

// Whether what was kept is of this link.
export const isOfLink = (kept, search) => kept?.search !== undefined && settingsOf(kept.search) === settingsOf(search);

// Keeps the text, or the id.
export function hold(what) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) || 'null');
    if (kept) sessionStorage.setItem(KEY, JSON.stringify({...kept, ...what}));
  } catch {
    // the text is lost with the server's
  }
}
