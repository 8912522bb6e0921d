// Waiting for what the page is to show.

const PATIENCE = 10_000; // milliseconds of an idle page until a thing is given up
const FRAME = 50; // milliseconds that a frame counts at most: a slow machine draws few

// Resolves to what `find` gives, looked for in each frame, as soon as it is something; else, once
// it is no longer wanted or the page has been idle for so long, to null. While anything is
// computed the page is not idle.
export function awaited(find, isWanted = () => true, patience = PATIENCE) {
  let left = patience;
  let before = performance.now();
  return new Promise(done => {
    const look = () => {
      const target = (isWanted() && find()) || null;
      const now = performance.now();
      if (!document.querySelector('[aria-busy=true]')) left -= Math.min(now - before, FRAME);
      before = now;
      if (target || !isWanted() || left < 0) done(target);
      else requestAnimationFrame(look);
    };
    look();
  });
}
