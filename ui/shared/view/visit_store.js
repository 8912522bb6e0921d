// Session storage of this visit.
export const KEY = 'gptlens-visit';

// Keeps the text, or the id.
export function hold(what) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) || 'null');
    if (kept) sessionStorage.setItem(KEY, JSON.stringify({...kept, ...what}));
  } catch {
    // the text is lost with the server's
  }
}
