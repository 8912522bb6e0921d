// Small curves that are compared in one frame, such as those of a wall of runs.
import {put} from './svg.js';

// The frame of some curves: {right, low, high} of their points, [x, y] each; x begins at 0.
export function frameOf(curves) {
  const points = curves.flat();
  const heights = points.map(([, y]) => y);
  return {
    right: Math.max(1, ...points.map(([x]) => x)),
    low: Math.min(...heights, Infinity),
    high: Math.max(...heights, -Infinity),
  };
}

// A curve as the path of an SVG of this size; "" without points.
export function curvePath(points, {right, low, high}, width, height) {
  const down = y => (high > low ? ((high - y) / (high - low)) * height : height / 2);
  return points
    .map(([x, y], i) => `${i ? 'L' : 'M'}${((x / right) * width).toFixed(1)} ${down(y).toFixed(1)}`)
    .join('');
}

// Small curves without axes, in one frame; the first is line-0, and so on.
export function drawCurves(parent, curves, frame, [width, height]) {
  const svg = put(parent, 'svg', {viewBox: `-2 -2 ${width + 4} ${height + 4}`, class: 'small-curves'});
  svg.setAttribute('aria-hidden', 'true');
  curves.forEach((points, i) => put(svg, 'path', {d: curvePath(points, frame, width, height), class: `line-${i}`}));
}
