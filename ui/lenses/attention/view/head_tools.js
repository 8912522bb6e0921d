// What the buttons under a map do: files, the link, the zoom, and a text or an ablation of the
// head.
import {counted} from '../../../shared/view/plain.js';
import {saveCsv, saveMade, slides} from '../../../shared/view/files.js';
import {shareLink} from '../../../shared/view/link.js';
import {goTo} from '../../../shared/view/places.js';
import {switchHeadOff} from '../heads/parts.js';
import {nameOf} from './roles.js';

// view: {server, status, value, chosen, mode, cell}, as they are now, with large, its map, and the
// maps of its heads.
export function headTools(view) {
  const {server, status, large, maps} = view;
  const fileName = () => `attention-layer${view.chosen[0]}-head${view.chosen[1]}`;
  async function csv() {
    const matrix = await maps.exact(view.chosen); // never the preview
    if (!matrix) return;
    const {tokens} = view.value,
      n = tokens.length;
    const share = weight => (Number.isNaN(weight) ? '' : +weight.toFixed(5));
    const rows = tokens.map((token, q) => [
      token,
      ...Array.from({length: n}, (_, k) => share(matrix[q * n + k])),
    ]);
    saveCsv(fileName(), [['reading \\ looked at', ...tokens], ...rows]);
  }
  // Chooses the clearest induction head, by repeated random tokens once these are measured.
  function induction() {
    const {random, scores, elsewhere, roles, model} = view.value;
    const rows = (random ?? scores).induction.flatMap((row, layer) =>
      row.map((score, head) => ({score, layer, head})),
    );
    const best = rows.reduce((most, one) => ((one.score ?? -1) > (most.score ?? -1) ? one : most));
    const at = [best.layer, best.head];
    const sure = elsewhere ?? roles.map(row => row.map(([role, leans]) => (leans ? '' : role)));
    const n = sure.flat().filter(role => role === 'induction').length;
    const named = `${nameOf(at)} with ${best.score?.toFixed(2)}.`;
    const other = model === 'induction' ? '' : ' The bundled model “induction” has four.';
    view.pick(at);
    if (best.score === null)
      status.textContent =
        'No token repeats in this text, so induction cannot be measured. Write a name twice.';
    else if (best.score >= 0.4)
      status.textContent = `${counted(n, 'induction head')}; the clearest is ${named}`;
    else status.textContent = `No head of ${model} reaches 0.40; the nearest is ${named}${other}`;
  }
  return {
    ...slides(status, fileName, async ({heat}) => {
      const matrix = await maps.exact(view.chosen); // never the preview
      const {tokens, model, mode, signed, causal} = view.value,
        n = tokens.length;
      const left = mode === 'without the first token' ? ' · first token left out' : '';
      return heat({
        title: `${model}${signed ? ', A minus B' : ''} · layer ${view.chosen[0]}, head ${view.chosen[1]}${left}`,
        values: tokens.map((_, q) =>
          Array.from({length: n}, (__, k) => (causal && k > q ? NaN : matrix[q * n + k])),
        ),
        columns: tokens,
        rows: tokens,
        signed,
        across: 'looked at (key)',
        down: 'reading token (query)',
        says: signed ? 'difference in attention (A minus B)' : 'attention',
      });
    }),
    npz: () => saveMade(status, 'attention.npz', () => server.arrays(maps.question(view.chosen))),
    csv,
    link: async () => (status.textContent = await shareLink()),
    induction,
    plus: () => large.zoomBy(0.6),
    minus: () => large.zoomBy(1 / 0.6),
    all: () => large.unzoom(),
    off() {
      switchHeadOff(view.chosen);
      goTo(new URLSearchParams({see: '#ablation'}));
    },
  };
}
