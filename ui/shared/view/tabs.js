// The tabs of the page and the views in them, as they stand on it.

// The tabs of the page, not those within one of them.
export const outerTabs = () =>
  [...document.querySelectorAll('#tabs [role=tab]')].filter(
    tab => tab.closest('.tabs')?.id === 'tabs',
  );

export const isOpen = tab => tab.getAttribute('aria-selected') === 'true';

// The titles of the open tab and of the view in it, "" where there are none.
/** @returns {[string, string]} */
export function place() {
  const views = [...document.querySelectorAll('#tabs > .tabitem [role=tab]')].filter(
    tab => tab.offsetParent,
  );
  const nameOf = tabs => tabs.find(isOpen)?.textContent.trim() ?? '';
  return [nameOf(outerTabs()), nameOf(views)];
}

// The name of the picked model, as links use it; "" for one that they cannot hold.
export function pickedModel() {
  const shown = document.querySelector('#model input')?.value.split(' · ')[0].trim() ?? '';
  return /^[\w@./-]+$/.test(shown) ? shown : '';
}

// The first node of a selector that can be seen; null for none, and for an invalid selector.
export function visible(selector) {
  try {
    return [...document.querySelectorAll(selector)].find(node => node.getClientRects().length);
  } catch {
    return null; // a mistake in a talk, which the talk reports
  }
}
