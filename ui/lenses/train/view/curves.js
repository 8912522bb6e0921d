// The curves of a run over a common axis of updates: loss, head scores, learning rate, gradient
// norm. Drawn on a canvas several times a second beside a computer that is busy learning, so a draw
// must cost next to nothing: an update takes Plotly 37 ms and this 1.4. Drag to zoom, double-click
// to see all, click for the nearest look at the model.
import {tickLabel, ticks} from '../../../shared/view/plain.js';
import {axis, freePlace, nearest, series} from './curve_lines.js';

const [RIGHT, TOP] = [10, 8];
// [title, height share]; the gaps between panels hold their titles. The last one is drawn on wish.
/** @type {[string, number][]} */
const PANELS = [
  ['Loss', 0.5],
  ['Heads: induction and token-before scores', 0.2],
  ['Learning rate', 0.12],
  ['Gradient norm', 0.12],
];

function stroke(pen, x0, y0, x1, y1) {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}

export function curvePlot(box, readout) {
  const [paper, overlay] = box.querySelectorAll('canvas');
  const edge = {left: 50, bottom: 34}; // room for the axes' figures, which grow with the type
  let zoom = null,
    frame = null;
  function extent(panel, x0, x1) {
    if (panel.range) return panel.range;
    let low = Infinity,
      high = -Infinity;
    for (const line of panel.lines)
      for (const [x, y] of line.points)
        if (y !== null && x >= x0 && x <= x1) {
          if (y < low) low = y;
          if (y > high) high = y;
        }
    const levels = zoom ? [] : panel.levels.map(([value]) => value);
    [low, high] = [Math.min(low, ...levels), Math.max(high, ...levels)];
    if (!(high >= low)) return [0, 1];
    if (panel.floor !== undefined) low = panel.floor;
    const room = (high - low || Math.abs(high) || 1) * 0.06;
    return [panel.floor === undefined ? low - room : low, high + room];
  }
  // at: the chosen place on the axis, guess: of the final loss, null for none; norms: whether the
  // last panel is drawn.
  function draw(run, at, guess, norms) {
    const width = box.clientWidth,
      height = box.clientHeight,
      ratio = devicePixelRatio || 1;
    if (!width) return;
    const [across, down] = [width, height].map(side => Math.round(side * ratio));
    for (const canvas of [paper, overlay])
      if (canvas.width !== across || canvas.height !== down)
        [canvas.width, canvas.height] = [across, down];
    const style = getComputedStyle(box),
      get = name => style.getPropertyValue(name).trim(),
      pen = paper.getContext('2d');
    const color = {
      accent: get('--lens-accent'),
      against: get('--lens-against'),
      green: get('--lens-series-3'),
      violet: get('--lens-series-2'),
      grey: get('--lens-line'),
      bar: get('--lens-bar'),
      ink: get('--body-text-color'),
      soft: get('--body-text-color-subdued'),
      grid: get('--border-color-primary'),
      paper: get('--body-background-fill'),
    };
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const size = Math.max(12, parseFloat(style.fontSize) * 0.8);
    [edge.left, edge.bottom] = [Math.max(50, 3.6 * size), Math.max(34, 2.8 * size)];
    const along = axis(run),
      all = [0, Math.max(10, along.end, run.rows.length ? along.row(run.rows.at(-1)) : 0)];
    const [x0, x1] = zoom || all,
      X = x => edge.left + ((x - x0) / (x1 - x0)) * (width - edge.left - RIGHT);
    pen.font = `${size}px ${get('--font') || 'sans-serif'}`;
    const gap = size * 1.9,
      panels = norms ? PANELS : PANELS.slice(0, -1),
      free = height - TOP - edge.bottom - gap * (panels.length - 1) - size,
      shares = panels.reduce((sum, [, share]) => sum + share, 0);
    let top = TOP + size;
    const drawn = series(run, guess, color).slice(0, panels.length);
    drawn.forEach((panel, i) => {
      const bottom = top + (free * panels[i][1]) / shares,
        [low, most] = extent(panel, x0, x1),
        // The uppermost level's name stands above its line.
        high = most + (panel.levels.length && !zoom ? ((most - low) * size) / (bottom - top) : 0),
        Y = y => bottom - ((y - low) / (high - low)) * (bottom - top);
      Object.assign(pen, {fillStyle: color.soft, textAlign: 'left', textBaseline: 'bottom'});
      const named = panel.lines.filter(line => line.key);
      const title =
        i === 0
          ? `Loss, ${run.about.unit}`
          : i === 1 && named.length
            ? 'Task accuracy:'
            : panels[i][0];
      const wide = text => pen.measureText(text).width;
      let place = edge.left + wide(`${title}  `);
      // On a phone there is no room for both, and the names matter more.
      if (named.length && named.reduce((end, line) => end + wide(line.name) + 22, place) > width)
        place = edge.left;
      else pen.fillText(title, edge.left, top - 3);
      for (const line of named) {
        pen.fillStyle = line.color;
        pen.fillRect(place, top - 3 - size * 0.55, 9, 4);
        pen.fillStyle = color.soft;
        pen.fillText(line.name, place + 12, top - 3);
        place += wide(line.name) + 22;
      }
      Object.assign(pen, {
        strokeStyle: color.grid,
        lineWidth: 1,
        textAlign: 'right',
        textBaseline: 'middle',
      });
      for (const tick of ticks(low, high, i ? 2 : 5)) {
        stroke(pen, edge.left, Y(tick), width - RIGHT, Y(tick));
        pen.fillText(tickLabel(tick), edge.left - 6, Y(tick));
      }
      pen.save();
      pen.beginPath();
      pen.rect(edge.left, top - 4, width - edge.left - RIGHT + 6, bottom - top + 8);
      pen.clip();
      for (const line of panel.lines) {
        const {alpha = 1, color: hue, width: lineWidth, dash = []} = line;
        Object.assign(pen, {
          globalAlpha: alpha,
          strokeStyle: hue,
          fillStyle: hue,
          lineWidth,
          lineJoin: 'round',
        });
        pen.setLineDash(dash);
        pen.beginPath();
        let open = false;
        for (const [x, y] of line.points) {
          if (y !== null) pen[open ? 'lineTo' : 'moveTo'](X(x), Y(y));
          open = y !== null;
        }
        pen.stroke();
        if (line.dots)
          for (const [x, y] of line.points) {
            pen.beginPath();
            pen.arc(X(x), Y(y), line.dots, 0, 7);
            pen.fill();
          }
      }
      Object.assign(pen, {globalAlpha: 1, textAlign: 'right', textBaseline: 'bottom'});
      const taken = panel.lines.flatMap(line =>
        line.points.filter(([, y]) => y !== null).map(([x, y]) => [X(x), Y(y)]),
      );
      for (const [value, text, hue] of panel.levels) {
        pen.setLineDash([6, 4]);
        Object.assign(pen, {strokeStyle: hue, lineWidth: 1.2});
        stroke(pen, edge.left, Y(value), width - RIGHT, Y(value));
        pen.setLineDash([]);
        Object.assign(pen, {strokeStyle: color.paper, lineWidth: 4, fillStyle: color.ink});
        const letters = pen.measureText(text).width;
        const [x, y] = freePlace(letters, size, [edge.left, width - RIGHT], Y(value), taken);
        // where the next label has no room
        for (let px = x - letters; px < x; px += 2) taken.push([px, y - size / 2]);
        pen.strokeText(text, x, y);
        pen.fillText(text, x, y);
      }
      pen.restore();
      top = bottom + gap;
    });
    const foot = height - edge.bottom;
    Object.assign(pen, {fillStyle: color.soft, textBaseline: 'top', textAlign: 'center'});
    for (const tick of ticks(x0, x1, width < 480 ? 4 : 8)) {
      const label = tickLabel(along.least < 1 ? tick : Math.round(tick));
      pen.fillText(
        label,
        Math.min(X(tick), width - 2 - pen.measureText(label).width / 2),
        foot + 4,
      );
    }
    pen.fillText(along.name, (edge.left + width - RIGHT) / 2, foot + 4 + size * 1.2);
    if (at !== null) {
      Object.assign(pen, {strokeStyle: color.ink, lineWidth: 1.3});
      pen.setLineDash([2, 3]);
      stroke(pen, X(at), TOP, X(at), foot);
      pen.setLineDash([]);
    }
    const placeOf = px => x0 + ((px - edge.left) / (width - edge.left - RIGHT)) * (x1 - x0);
    frame = {run, width, height, ratio, color, at: placeOf};
  }
  // --- pointing, zooming
  function mark(from, to) {
    const pen = overlay.getContext('2d');
    pen.setTransform(frame.ratio, 0, 0, frame.ratio, 0, 0);
    pen.clearRect(0, 0, frame.width, frame.height);
    Object.assign(pen, {strokeStyle: frame.color.grey, fillStyle: frame.color.accent + '30'});
    if (to === undefined) stroke(pen, from, TOP, from, frame.height - edge.bottom);
    else
      pen.fillRect(Math.min(from, to), TOP, Math.abs(to - from), frame.height - edge.bottom - TOP);
  }
  function read(x) {
    const along = axis(frame.run),
      row = nearest(frame.run.rows, along.row, x),
      look = nearest(frame.run.looks, along.look, x);
    readout.textContent = row
      ? `update ${row[0].toLocaleString('en')}: training ${row[1].toFixed(3)}` +
        frame.run.about.terms.map((name, i) => `, ${name} ${row[5 + i].toFixed(3)}`).join('') +
        (look && look.valid !== null
          ? `, held out ${look.valid.toFixed(3)} (update ${look.step.toLocaleString('en')})`
          : '') +
        `, rate ${row[2].toExponential(1)}, gradient ${row[3].toFixed(2)}`
      : '';
  }
  function wire(pick, redraw) {
    let from = null;
    const place = e =>
      Math.max(
        edge.left,
        Math.min(frame.width - RIGHT, e.clientX - overlay.getBoundingClientRect().left),
      );
    overlay.addEventListener('pointerdown', e => {
      if (frame && e.button === 0) {
        from = place(e);
        overlay.setPointerCapture(e.pointerId);
      }
    });
    overlay.addEventListener('pointermove', e => {
      if (!frame) return;
      const x = place(e);
      mark(from ?? x, from === null ? undefined : x);
      read(frame.at(x));
    });
    overlay.addEventListener('pointerup', e => {
      if (from === null) return;
      const x = place(e),
        ends = [frame.at(from), frame.at(x)].sort((a, b) => a - b);
      if (Math.abs(x - from) > 8 && ends[1] - ends[0] > axis(frame.run).least) {
        zoom = ends;
        redraw();
      } else pick(frame.at(x));
      from = null;
      clear();
    });
    const clear = () => {
      overlay.getContext('2d').clearRect(0, 0, overlay.width, overlay.height);
      readout.textContent = '';
    };
    overlay.addEventListener('pointerleave', () => frame && from === null && clear());
    overlay.addEventListener('pointercancel', () => {
      from = null;
      clear();
    });
    overlay.addEventListener('dblclick', () => {
      zoom = null;
      redraw();
    });
  }

  return {draw, wire, all: () => (zoom = null), isZoomed: () => zoom !== null};
}
