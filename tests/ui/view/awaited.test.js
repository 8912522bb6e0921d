// What is awaited is given up for an idle page alone, however slow the machine.
import assert from 'node:assert/strict';
import test from 'node:test';
import {awaited} from '../../../ui/shared/view/awaited.js';

// A page whose frames take so long; what is busy in the frames before `idle`.
function page(milliseconds, idle = 0) {
  const shown = {frames: 0};
  let now = 0;
  globalThis.performance = /** @type {any} */ ({now: () => now});
  globalThis.document = /** @type {any} */ ({
    querySelector: () => (shown.frames < idle ? {} : null),
  });
  globalThis.requestAnimationFrame = look => {
    now += milliseconds;
    shown.frames += 1;
    queueMicrotask(() => look(now));
    return 0;
  };
  return shown;
}

test('a slow machine has as many frames as another has time', async () => {
  const shown = page(1000);
  assert.equal(await awaited(() => shown.frames >= 150 && 'there'), 'there');
  assert.equal(await awaited(() => null), null);
  assert.ok(shown.frames > 300);
});

test('while anything is computed nothing is given up', async () => {
  const shown = page(16, 100_000);
  assert.equal(await awaited(() => shown.frames === 99_999 && 'there'), 'there');
  assert.equal(await awaited(() => null), null);
  assert.ok(shown.frames > 100_600);
});

test('it ends at once where it is wanted no longer', async () => {
  const shown = page(16, 10);
  const wanted = () => shown.frames < 5;
  assert.equal(await awaited(() => null, wanted), null);
  assert.equal(
    await awaited(
      () => false,
      () => false,
    ),
    null,
  );
  assert.equal(shown.frames, 5);
});
