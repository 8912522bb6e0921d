// Gradio counts the seconds of its loading screen for ever, sixty times a second, also when that is long gone, and the
// browser draws each time: on two processors a tenth of what they compute besides.

// Ends it, and no other: the count reads the clock and asks for its next frame at once, so for two frames the clock
// tells who reads it. (Frames of browser extensions and of tests are numbered in the same row and stay.)
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
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      delete performance.now;
    }),
  );
}
