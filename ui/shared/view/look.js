// How the page looks now.

export const isDark = () => document.body.classList.contains('dark');

// Calls back when the page turns light or dark, or large for a projector.
export function onLook(changed) {
  new MutationObserver(changed).observe(document.body, {attributes: true, attributeFilter: ['class']});
}
