// A canvas that draws one attention map with its tokens.
import {figure, visible} from '../../../shared/view/plain.js';
import {css, painted, placeOf, ramp} from '../../../shared/view/scales.js';
import {isDark, onLook} from '../../../shared/view/page.js';

// A canvas at the resolution of the screen, cleared: [pen, width, height].
export function fitted(canvas) {
  const scale = devicePixelRatio || 1,
    width = canvas.clientWidth,
    height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const ctx = canvas.getContext('2d');
  ctx.setTransform(scale, 0, 0, scale, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return [ctx, width, height];
}

/* A heat map with tokens on both axes.
   options: kind ("share" or "signed"), axes (false for a small one), onHover(q, k), onLock(q, k), onZoom(zoom).
   show(values, tokens, limit) draws another map and keeps the zoom when the number of tokens stays. */
export function heatMap(canvas, options) {
  let values = null,
    tokens = [],
    n = 0,
    limit = 1,
    image = null,
    zoom = null,
    box = null,
    plot = null,
    drag = null,
    waiting = false;
  let kind = options.kind,
    hover = null,
    locked = null;
  const root = () => getComputedStyle(canvas);
  const whole = () => ({q0: 0, q1: n, k0: 0, k1: n});

  function show(next, names, most, scale) {
    if (names.length !== n) zoom = hover = locked = null;
    [values, tokens, n, limit, kind] = [next, names, names.length, most || 1, scale || options.kind];
    zoom = zoom || whole();
    image = null;
    draw();
  }
  const draw = () => {
    if (!waiting) {
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        paint();
      });
    }
  };

  function paint() {
    if (!values || !canvas.clientWidth) return;
    image = image || painted(values, n, kind, limit, isDark());
    const [ctx, width, height] = fitted(canvas),
      style = root();
    const ink = style.getPropertyValue('--body-text-color') || '#161c2b',
      muted = style.getPropertyValue('--body-text-color-subdued') || '#616b88';
    const line = style.getPropertyValue('--lens-line') || '#616b88',
      accent = style.getPropertyValue('--lens-accent') || '#1f7dad';
    const font = options.axes ? (width < 420 ? 11 : parseFloat(style.fontSize) || 13) : 10;
    const mono = size => `${size}px ${style.getPropertyValue('--font-mono') || 'monospace'}`,
      sans = size => `${size}px ${style.fontFamily}`;
    const rows = zoom.q1 - zoom.q0,
      columns = zoom.k1 - zoom.k0;
    ctx.font = mono(font);
    const widest = Math.max(...tokens.map(t => ctx.measureText(clip(t)).width), 10);
    const left = options.axes ? Math.min(widest, width * 0.2) + font * 2 : 4,
      bar = options.axes ? font * (kind === 'share' ? 4.2 : 5.6) : 0;
    const bottom = options.axes ? Math.min(widest, 90) * 0.87 + font * 2.4 : 4;
    const side = {w: width - left - bar - 6, h: height - bottom - 4};
    const cell = Math.min(side.h / rows, (side.w / columns) * 1.6),
      w = Math.min(side.w / columns, cell * 1.6) * columns;
    plot = {x: left, y: 4, w, h: Math.min(side.h, cell * rows)};
    const cw = plot.w / columns,
      ch = plot.h / rows;
    const at = (q, k) => [plot.x + (k - zoom.k0) * cw, plot.y + (q - zoom.q0) * ch];

    ctx.imageSmoothingEnabled = cw < 1 || ch < 1;
    ctx.fillStyle = style.getPropertyValue('--lens-blank') || '#e6e9f1'; // the future, and what is not available
    ctx.fillRect(plot.x, plot.y, plot.w, plot.h);
    ctx.drawImage(image, zoom.k0, zoom.q0, columns, rows, plot.x, plot.y, plot.w, plot.h);
    ctx.strokeStyle = line;
    ctx.globalAlpha = 0.5;
    ctx.strokeRect(plot.x - 0.5, plot.y - 0.5, plot.w + 1, plot.h + 1);
    ctx.globalAlpha = 1;
    const seen = hover || locked;
    if (options.axes && options.causal() && rows === n && !seen) {
      ctx.fillStyle = muted;
      ctx.font = sans(font);
      ctx.textAlign = 'right';
      ctx.textBaseline = 'top';
      ctx.fillText('n/a: the future is hidden', plot.x + plot.w - 8, plot.y + 8);
    }
    for (const [marked, color] of [
      [locked, accent],
      [hover, line],
    ]) {
      if (!marked) continue;
      const [x, y] = at(marked[0], marked[1]);
      ctx.save();
      ctx.beginPath();
      ctx.rect(plot.x, plot.y, plot.w, plot.h);
      ctx.clip();
      ctx.strokeStyle = color;
      ctx.lineWidth = marked === locked ? 2.5 : 1.5;
      ctx.strokeRect(plot.x, y, plot.w, ch);
      ctx.strokeRect(x, plot.y, cw, plot.h);
      ctx.restore();
    }
    if (options.axes) axes(ctx, {ink, muted, font, mono, sans, cw, ch, left, seen, height, width});
    if (box) {
      ctx.strokeStyle = accent;
      ctx.lineWidth = 2;
      ctx.setLineDash([5, 4]);
      ctx.strokeRect(...box);
      ctx.setLineDash([]);
    }
  }
  const clip = text => {
    const t = visible(text);
    return t.length > 14 ? t.slice(0, 13) + '…' : t;
  };

  function axes(ctx, s) {
    const step = size => Math.max(1, Math.ceil((s.font * 1.15) / size));
    const put = (text, strong) => {
      ctx.font = (strong ? 'bold ' : '') + s.mono(s.font);
      ctx.fillStyle = strong ? s.ink : s.muted;
      ctx.fillText(text, 0, 0);
    };
    // Counted from the end: the last row is what the guess is made of.
    const wanted = (i, last, every, chosen) =>
      i === chosen || ((last - i) % every === 0 && (chosen === undefined || Math.abs(i - chosen) >= every));
    const q0 = Math.floor(zoom.q0),
      k0 = Math.floor(zoom.k0);
    ctx.textAlign = 'right';
    ctx.textBaseline = 'middle';
    for (let q = q0; q < zoom.q1; q++)
      if (wanted(q, Math.ceil(zoom.q1) - 1, step(s.ch), s.seen?.[0])) {
        ctx.save();
        ctx.beginPath();
        ctx.rect(s.font * 1.3, 0, s.left - s.font * 1.3 - 4, s.height);
        ctx.clip();
        ctx.translate(s.left - 6, plot.y + (q - zoom.q0 + 0.5) * s.ch);
        put(clip(tokens[q]), q === s.seen?.[0]);
        ctx.restore();
      }
    for (let k = k0; k < zoom.k1; k++)
      if (wanted(k, Math.ceil(zoom.k1) - 1, step(s.cw), s.seen?.[1])) {
        ctx.save();
        ctx.translate(plot.x + (k - zoom.k0 + 0.6) * s.cw, plot.y + plot.h + 7);
        ctx.rotate(-Math.PI / 3);
        put(clip(tokens[k]), k === s.seen?.[1]);
        ctx.restore();
      }
    ctx.fillStyle = s.ink;
    ctx.font = s.sans(s.font);
    ctx.textAlign = 'center';
    ctx.textBaseline = 'alphabetic';
    ctx.fillText('looked at (key)', plot.x + plot.w / 2, s.height - 4);
    ctx.save();
    ctx.translate(s.font, plot.y + plot.h / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.fillText('reading token (query)', 0, 0);
    ctx.restore();
    colourBar(ctx, s);
  }
  function colourBar(ctx, s) {
    const x = plot.x + plot.w + 14,
      w = s.font,
      lut = ramp(kind, isDark());
    for (let i = 0; i < 256; i++) {
      ctx.fillStyle = css(lut[255 - i]);
      ctx.fillRect(x, plot.y + (plot.h * i) / 256, w, plot.h / 256 + 1);
    }
    ctx.strokeStyle = s.muted;
    ctx.lineWidth = 1;
    ctx.strokeRect(x, plot.y, w, plot.h);
    const marks = kind === 'share' ? [0, 0.05, 0.25, 0.5, 1] : [-limit, -limit / 2, 0, limit / 2, limit];
    ctx.fillStyle = s.muted;
    ctx.textAlign = 'left';
    ctx.textBaseline = 'middle';
    ctx.font = s.sans(s.font * 0.85);
    for (const mark of marks) {
      const y = plot.y + plot.h * (1 - placeOf(mark, kind, limit) / 255);
      ctx.fillText(
        kind === 'share' ? mark : (mark > 0 ? '+' : '') + figure(mark),
        x + w + 4,
        Math.min(plot.y + plot.h - 5, Math.max(plot.y + 5, y)),
      );
    }
  }

  function cellAt(event) {
    if (!plot) return null;
    const frame = canvas.getBoundingClientRect(),
      x = event.clientX - frame.left,
      y = event.clientY - frame.top;
    const q = Math.floor(zoom.q0 + ((y - plot.y) / plot.h) * (zoom.q1 - zoom.q0)),
      k = Math.floor(zoom.k0 + ((x - plot.x) / plot.w) * (zoom.k1 - zoom.k0));
    const inRows = y >= plot.y && y < plot.y + plot.h;
    // The labels count too: a reading token's name stands for its row.
    if (inRows && x < plot.x && x > 0 && options.axes) return [q, Math.min(q, n - 1)];
    return inRows && x >= plot.x && x < plot.x + plot.w && q < n && k < n ? [q, k] : null;
  }
  const same = (a, b) => a && b && a[0] === b[0] && a[1] === b[1];
  function setHover(cell) {
    if (!same(cell, hover) && (cell || hover)) {
      hover = cell;
      draw();
      options.onHover?.(cell);
    }
  }
  function setLocked(cell) {
    locked = cell;
    draw();
  }
  function setZoom(next) {
    const least = Math.min(2, n),
      span = (a, b) => {
        const size = Math.min(n, Math.max(least, b - a)),
          from = Math.max(0, Math.min(n - size, a));
        return [from, from + size];
      };
    const [q0, q1] = span(next.q0, next.q1),
      [k0, k1] = span(next.k0, next.k1);
    zoom = {q0, q1, k0, k1};
    draw();
    options.onZoom?.(zoom);
  }
  function zoomBy(factor) {
    const [q, k] = locked || [(zoom.q0 + zoom.q1) / 2, (zoom.k0 + zoom.k1) / 2],
      rows = (zoom.q1 - zoom.q0) * factor,
      columns = (zoom.k1 - zoom.k0) * factor;
    const from = (centre, size) => Math.round(centre + 0.5 - size / 2);
    setZoom({
      q0: from(q, rows),
      q1: from(q, rows) + Math.round(rows),
      k0: from(k, columns),
      k1: from(k, columns) + Math.round(columns),
    });
  }
  function keepInView([q, k]) {
    const rows = zoom.q1 - zoom.q0,
      columns = zoom.k1 - zoom.k0,
      into = (x, a, size) => (x < a ? x : x >= a + size ? x + 1 - size : a);
    const q0 = into(q, zoom.q0, rows),
      k0 = into(k, zoom.k0, columns);
    if (q0 !== zoom.q0 || k0 !== zoom.k0) setZoom({q0, q1: q0 + rows, k0, k1: k0 + columns});
  }

  canvas.addEventListener('pointerdown', e => {
    if (e.pointerType === 'mouse' && e.button === 0 && cellAt(e)) drag = {x: e.offsetX, y: e.offsetY, from: cellAt(e)};
  });
  canvas.addEventListener('pointermove', e => {
    if (drag && Math.hypot(e.offsetX - drag.x, e.offsetY - drag.y) > 6) {
      box = [drag.x, drag.y, e.offsetX - drag.x, e.offsetY - drag.y];
      draw();
    }
    setHover(cellAt(e));
  });
  canvas.addEventListener('pointerleave', () => {
    setHover(null);
  });
  window.addEventListener('pointerup', e => {
    if (!drag) return;
    const to = e.target === canvas ? cellAt(e) : null,
      from = drag.from,
      dragged = box;
    drag = box = null;
    if (dragged && to)
      setZoom({
        q0: Math.min(from[0], to[0]),
        q1: Math.max(from[0], to[0]) + 1,
        k0: Math.min(from[1], to[1]),
        k1: Math.max(from[1], to[1]) + 1,
      });
    else draw();
    canvas.dataset.dragged = dragged ? '1' : '';
  });
  canvas.addEventListener('click', e => {
    if (canvas.dataset.dragged) {
      canvas.dataset.dragged = '';
      return;
    }
    const cell = cellAt(e);
    if (cell) options.onLock?.(same(cell, locked) ? null : cell);
  });
  canvas.addEventListener('dblclick', () => setZoom(whole()));
  canvas.addEventListener('keydown', e => {
    if (!values || e.shiftKey || e.ctrlKey || e.metaKey || e.altKey) return;
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[e.key];
    if (step) {
      const from = locked || [n - 1, n - 1 - step[1]],
        into = x => Math.min(n - 1, Math.max(0, x));
      /** @type {[number, number]} */
      const next = locked ? [into(from[0] + step[0]), into(from[1] + step[1])] : [n - 1, n - 1];
      options.onLock?.(next);
      keepInView(next);
    } else if (e.key === '+' || e.key === '=') zoomBy(0.6);
    else if (e.key === '-') zoomBy(1 / 0.6);
    else if (e.key === '0') setZoom(whole());
    else if (e.key === 'Escape') options.onLock?.(null);
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
  const repaint = () => {
    image = null;
    draw();
  };
  new ResizeObserver(draw).observe(canvas);
  onLook(repaint);
  return {
    show,
    draw,
    setLocked,
    setHover,
    setZoom,
    zoomBy,
    unzoom: () => setZoom(whole()),
    zoom: () => zoom,
    zoomTo: next => {
      if (n && next) {
        zoom = next;
        draw();
      }
    },
  };
}
