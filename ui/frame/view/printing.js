// On paper the page stands as in its window: a sheet of the window's width in the proportions of
// A4, which the printer makes smaller. Figures are drawn for the window, and would lie over each
// other on a narrower sheet.
const A4 = 297 / 210; // height to width
const MARGIN = 24; // px

const rule = width =>
  `@page {size: ${width + 2 * MARGIN}px ${Math.round((width + 2 * MARGIN) * A4)}px; margin: ${MARGIN}px}`;

export function printAsShown() {
  const style = document.createElement('style');
  document.head.append(style);
  const set = () => (style.textContent = rule(innerWidth));
  addEventListener('beforeprint', set);
  addEventListener('resize', set);
  set();
}
