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

// Milliseconds for the page before to close: after a reload it does, however busy the machine is.
const patience = () =>
  /** @type {any} */ (performance.getEntriesByType('navigation')[0])?.type === 'reload'
    ? 30_000
    : 1000;

// Holds a name for as long as this page is open; false where another page of this browser holds it,
// such as the one that this tab was duplicated from. A page that is not served over https holds
// whatever it wants.
export function held(name) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((/** @type {(value: boolean) => void} */ done) => {
    const waiting = new AbortController();
    setTimeout(() => waiting.abort(), patience());
    const until = () => {
      done(true);
      return new Promise(() => {});
    };
    navigator.locks.request(name, {signal: waiting.signal}, until).catch(() => done(false));
  });
}
