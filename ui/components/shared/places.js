// Ways to other places of the page: a tab, a view in it, and a choice there.
const PATIENCE = 10_000; // milliseconds until a place is given up

// Goes to "tab=...&view=...&choose=...", URLSearchParams; true once it is there.
export async function goTo(query, isWanted = () => true) {
  press('#tabs', query.get('tab')?.replace('-', ' '));
  const view = query.get('view');
  if (view && !(await awaited(() => press('#tabs > .tabitem', view), isWanted))) return false;
  const choice = query.get('choose');
  return !choice || Boolean(await awaited(() => choose(choice), isWanted));
}

// Presses the tab of this name within a row of tabs; true once it is open.
function press(within, name) {
  if (!name) return true;
  const plain = text => text.trim().toLowerCase().replace('-', ' ');
  const tab = [...document.querySelectorAll(`${within} [role=tab]`)].find(
    one => one.offsetParent && plain(one.textContent) === plain(name),
  );
  if (tab?.getAttribute('aria-selected') !== 'true') tab?.click();
  return tab;
}

// Picks the option of this name in the open view.
function choose(name) {
  const option = [...document.querySelectorAll('#tabs > .tabitem label')].find(
    label => label.offsetParent && label.textContent.trim() === name,
  );
  option?.querySelector('input')?.click();
  return option;
}

export function visible(selector) {
  try {
    return [...document.querySelectorAll(selector)].find(node => node.getClientRects().length);
  } catch {
    return null; // a teacher's slip; the sentence is shown all the same
  }
}

export function awaited(find, isWanted = () => true) {
  const began = performance.now();
  return new Promise(done => {
    const look = () => {
      const found = isWanted() && find();
      if (found || !isWanted() || performance.now() - began > PATIENCE) done(found);
      else requestAnimationFrame(look);
    };
    look();
  });
}
