// Session storage of this visit: its text, and the open tab and view.
export const KEY = 'gptlens-visit';

// The view within the open tab, before this load.
export function heldView() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) || 'null');
    return kept?.search === location.search ? (kept.view ?? '') : '';
  } catch {
    return '';
  }
}

// Keeps the text, or the name of the open tab.
export function hold(what) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) || 'null');
    if (kept) sessionStorage.setItem(KEY, JSON.stringify({...kept, ...what}));
  } catch {
    // the text is lost with the server's
  }
}
