// Gradio's loading-screen timer runs an animation frame loop for ever, long after the screen is
// gone, and each frame repaints: on two processors, a tenth of their capacity.

// Cancels that loop only: the timer reads the clock and then requests its next frame, so for two
// frames a patched clock identifies the caller. (Frames of browser extensions and tests share the
// numbering and stay.)
export function endCount() {
  const clock = performance.now;
  performance.now = function now() {
    const callers = new Error().stack.split('\n').slice(2);
    if (callers.length === 1 && callers[0].includes('/statustracker-')) {
      const first = requestAnimationFrame(() => {});
      queueMicrotask(() => {
        const last = requestAnimationFrame(() => {});
        for (let frame = first + 1; frame < last; frame++) cancelAnimationFrame(frame);
      });
    }
    return clock.call(performance);
  };
  requestAnimationFrame(() => requestAnimationFrame(() => delete performance.now));
}
