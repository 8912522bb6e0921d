// How the page looks: light or dark, large type for a room, and keys that work everywhere. It
// survives a reload, which some remotes trigger with F5.
import {keep, kept} from './kept.js';

const KEY = 'gptlens-look';
const CLASSES = ['present', 'dark', 'keys'];
const WIDE = 900; // pixels of a window that may be on a screen before an audience

export const isDark = () => document.body.classList.contains('dark');

// Calls back when the page turns light or dark, or large for a projector.
export function onLook(changed) {
  new MutationObserver(changed).observe(document.body, {
    attributes: true,
    attributeFilter: ['class'],
  });
}

// Toggles one of CLASSES, and stores it for a reload of this browser tab.
export function turnLook(name) {
  keep(KEY, {...kept(KEY), [name]: document.body.classList.toggle(name)});
}

// Begins in large type, unless the visitor has turned it off in this browser tab.
export function beginLarge() {
  if (kept(KEY)?.present !== undefined) return;
  document.body.classList.add('present');
  keep(KEY, {...kept(KEY), present: true});
}

// Restores the look of before a reload; a link to the large type turns it on. The page of a server
// for a talk begins in it, but for phones and pages that follow.
export function restoreLook(isForTalk = false) {
  const query = new URLSearchParams(location.search);
  const before = kept(KEY) ?? {};
  if (query.get('present') === '1' && before.present === undefined)
    document.body.classList.add('present');
  if (isForTalk && innerWidth >= WIDE && !query.has('follow')) beginLarge();
  // One view without the page around it, for a frame of another page; where the link names a view,
  // without the others.
  document.body.classList.toggle('embed', query.has('embed'));
  document.body.classList.toggle('embed-view', query.has('embed') && query.has('view'));
  for (const name of CLASSES)
    if (name in before) document.body.classList.toggle(name, before[name]);
}
