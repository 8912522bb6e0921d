// Display settings: large type, dark mode and keys that work everywhere survive a reload, which some remotes trigger
// with F5.
import {keep, kept} from '../../shared/view/kept.js';

const KEY = 'gptlens-look';
const CLASSES = ['present', 'dark', 'keys'];

// Toggles one of CLASSES, and stores it for a reload of this browser tab.
export function turnLook(name) {
  keep(KEY, {...kept(KEY), [name]: document.body.classList.toggle(name)});
}

// What was turned before the reload; a link to the large type turns it on.
export function restoreLook() {
  const before = kept(KEY) ?? {};
  if (new URLSearchParams(location.search).get('present') === '1' && before.present === undefined)
    document.body.classList.add('present');
  // One view without the page around it, for a frame of another page; where the link names a view, without the others.
  const query = new URLSearchParams(location.search);
  document.body.classList.toggle('embed', query.has('embed'));
  document.body.classList.toggle('embed-view', query.has('embed') && query.has('view'));
  for (const name of CLASSES) if (name in before) document.body.classList.toggle(name, before[name]);
}
