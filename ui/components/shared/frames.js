// Gradio counts the seconds of its loading screen for ever, sixty times a second, also when that is long gone, and the
// browser draws each time: on two processors a tenth of what they compute besides.

// Ends it: for two frames it is known which frames all others have asked for; the rest is that count.
export function endCount() {
  const ask = window.requestAnimationFrame.bind(window);
  const others = new Set();
  window.requestAnimationFrame = draw => {
    const frame = ask(draw);
    others.add(frame);
    return frame;
  };
  const first = ask(() => {});
  const end = () => {
    const last = ask(() => {});
    for (let frame = first + 1; frame < last; frame++) if (!others.has(frame)) window.cancelAnimationFrame(frame);
    window.requestAnimationFrame = ask;
  };
  ask(() => ask(end));
}
