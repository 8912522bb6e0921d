// Cells with a place, `data-at`, that are one stop of the keyboard: arrow keys go from one to the
// next.
const STEPS = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]};

// grid: of the cells, row by row; columns(): how many stand in a row; told(cell): of one that has
// the focus. Gives reach(cell), which the Tab key then comes to, and redraw(draw), which fills the
// grid anew and keeps the focus.
export function oneStop(grid, columns, told = _cell => {}) {
  let at = '';
  const cells = () => [...grid.querySelectorAll('[data-at]')];
  const reach = reached => cells().forEach(cell => (cell.tabIndex = cell === reached ? 0 : -1));
  grid.addEventListener('focusin', ({target}) => {
    if (!target.dataset.at) return;
    at = target.dataset.at;
    reach(target);
    told(target);
  });
  grid.addEventListener('keydown', event => {
    const [down, right] = STEPS[event.key] ?? [];
    const all = cells();
    const to = event.target.dataset.at && all[all.indexOf(event.target) + down * columns() + right];
    if (!to) return;
    event.preventDefault();
    to.focus();
  });
  function redraw(draw) {
    const focused = grid.contains(document.activeElement);
    grid.textContent = '';
    draw();
    const stop = () => grid.querySelector('[tabindex="0"]');
    if (!stop()) reach(grid.querySelector(`[data-at="${at}"]`) ?? cells()[columns() - 1]);
    if (focused) stop().focus();
  }
  return {reach, redraw};
}
