// What the browser keeps over a load of the page: for this tab, or for good in localStorage.
export function kept(key, where = 'sessionStorage') {
  try {
    return JSON.parse(globalThis[where].getItem(key) || 'null');
  } catch {
    return null;
  }
}

// Keeps a value; null or "" takes away what was kept.
export function keep(key, value, where = 'sessionStorage') {
  try {
    if (value) globalThis[where].setItem(key, JSON.stringify(value));
    else globalThis[where].removeItem(key);
  } catch {
    // a private window
  }
}

// The visit of this tab, {name, search, text}; `hold` changes what is kept of it.
export const VISIT = 'gptlens-visit';
export const hold = what => kept(VISIT) && keep(VISIT, {...kept(VISIT), ...what});
