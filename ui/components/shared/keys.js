// Keys for the stage: G generate, N next token, S stop, P presenter, D dark, 1 to 5 the tabs. Those that press a button
// press one that is on screen. A second click on a main button within a quarter of a second is the same click; on
// others, one within the time that no hand needs.
export function start() {
  const silent = ['range', 'checkbox', 'radio', 'button'];
  const typing = e =>
    ['TEXTAREA', 'SELECT'].includes(e.target.tagName) ||
    e.target.isContentEditable ||
    (e.target.tagName === 'INPUT' && !silent.includes(e.target.type));
  const outerTabs = () =>
    [...document.querySelectorAll('#tabs [role=tab]')].filter(tab => tab.closest('.tabs')?.id === 'tabs');
  const press = selector => [...document.querySelectorAll(selector)].find(button => button.offsetParent)?.click();
  const keys = {
    g: () => press('#tabs button.primary'),
    n: () => press('#next-token'),
    s: () => press('#tabs button.stop, #train [data-cmd=stop]'),
    p: () => {
      document.body.classList.toggle('present');
      window.dispatchEvent(new Event('resize'));
    },
    d: () => document.body.classList.toggle('dark'),
  };
  // A text box keeps its height when the type or the width changes; its last line must not be cut.
  const fit = () =>
    document.querySelectorAll('textarea').forEach(area => {
      if (!area.offsetParent) return;
      area.style.height = 'auto';
      area.style.height = Math.min(area.scrollHeight + 2, 300) + 'px';
    });
  window.addEventListener('resize', () => setTimeout(fit, 60));
  const pressed = new WeakMap();
  document.addEventListener(
    'click',
    e => {
      const button = e.target.closest?.('#tabs button');
      if (!button) return;
      const soonest = button.classList.contains('primary') ? 250 : 40; // milliseconds; nobody clicks faster
      if (performance.now() - (pressed.get(button) ?? -1000) < soonest) {
        e.stopImmediatePropagation();
        e.preventDefault();
      } else pressed.set(button, performance.now());
    },
    true,
  );
  document.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.repeat || typing(e)) return;
    const key = e.key.toLowerCase();
    if (keys[key]) {
      keys[key]();
      e.preventDefault();
    } else if ('12345'.includes(key)) outerTabs()[+key - 1]?.click();
  });
  if (new URLSearchParams(location.search).get('present') === '1') document.body.classList.add('present');
}
