// Display settings: large type and dark mode survive a reload, which some remotes trigger with F5.
const KEY = 'gptlens-look';
const CLASSES = ['present', 'dark'];

const kept = () => {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) || 'null') ?? {};
  } catch {
    return {}; // a private window that keeps nothing
  }
};

// Toggles one of CLASSES, and stores it for a reload of this browser tab.
export function turnLook(name) {
  const on = document.body.classList.toggle(name);
  try {
    sessionStorage.setItem(KEY, JSON.stringify({...kept(), [name]: on}));
  } catch {
    // as above
  }
}

// What was turned before the reload; a link to the large type turns it on.
export function restoreLook() {
  const before = kept();
  if (new URLSearchParams(location.search).get('present') === '1' && before.present === undefined)
    document.body.classList.add('present');
  // One view without the page around it, for a frame of another page; where the link names a view, without the others.
  const query = new URLSearchParams(location.search);
  document.body.classList.toggle('embed', query.has('embed'));
  document.body.classList.toggle('embed-view', query.has('embed') && query.has('view'));
  for (const name of CLASSES) if (name in before) document.body.classList.toggle(name, before[name]);
}
