// A recorded training run, frame by frame; it plays while it is on screen, and stands still for who asked for that.
import {add, addButton} from '../../../shared/view/page.js';

const EACH = 1800; // milliseconds a frame

export function playFilm(box, film) {
  const {frames} = film;
  if (!frames.length) {
    box.hidden = true;
    return;
  }
  add(box.querySelector('h2'), 'small', '', `recorded: ${film.title}`);
  const screen = box.querySelector('.st-screen');
  const caption = box.querySelector('.st-caption');
  const reel = box.querySelector('.st-reel');
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let at = still ? frames.length - 1 : 0;
  let playing = !still;
  let seen = false;

  const button = addButton(reel, 'st-pause', '', () => {
    playing = !playing;
    if (playing && at === frames.length - 1) at = 0;
    draw();
  });
  const stops = frames.map((frame, i) => {
    const stop = addButton(reel, 'st-stop', '', () => {
      playing = false;
      at = i;
      draw();
    });
    stop.setAttribute('aria-label', `after ${frame.step} updates`);
    return stop;
  });

  function draw() {
    const frame = frames[at];
    screen.textContent = frame.text;
    caption.textContent = '';
    add(caption, 'b', '', `${frame.seconds.toFixed(frame.seconds < 10 ? 1 : 0)} s`);
    caption.append(` · after ${frame.step.toLocaleString('en')} updates · loss ${frame.loss.toFixed(2)}`);
    button.textContent = playing ? 'Pause' : 'Play';
    stops.forEach((stop, i) => stop.classList.toggle('on', i === at));
  }

  new IntersectionObserver(entries => {
    seen = entries.at(-1).isIntersecting;
  }).observe(box);
  setInterval(() => {
    if (!playing || !seen || document.hidden) return;
    at = (at + 1) % frames.length;
    draw();
  }, EACH);
  draw();
}
