// The tools under a run: its model in another tab, files, links.
import {copyText} from '../../../shared/view/clipboard.js';
import {showCode} from '../../../shared/view/dialogs.js';
import {saveCsv, saveMade, slides} from '../../../shared/view/files.js';
import {linkFor, shareLink} from '../../../shared/view/link.js';
import {slideOf} from './curve_lines.js';
import {curveRows} from './figures.js';

const NO_WEIGHTS =
  'The weights of this recorded run are not kept. Start one of your own, and open that.';
const NO_MODEL = 'There is no model to ask yet. Start a run of your own.';

// now() gives {workspace, run, isExample, hasWeights}; why() explains a word and tells whether it
// could.
export function runTools(server, status, {now, open, why}) {
  const asked = () => ({workspace: now().workspace, run: now().run.id});
  const linked = workspace => ({tab: 'train', ...(now().isExample ? {} : {workspace})});
  const actions = {
    why() {
      if (!now().hasWeights || !why()) status.textContent = NO_MODEL;
    },
    csv: () => saveCsv('run', curveRows(now().run)),
    json: () => saveMade(status, 'run.json', () => server.recording(asked())),
    async link() {
      const link = linkFor(linked(now().run.viewing));
      status.textContent = (await copyText(link)) ? 'The link is on the clipboard.' : '';
      showCode(link, await server.phone({link}));
    },
    async control() {
      status.textContent = await shareLink(
        linked(now().workspace),
        'Anyone with this link can control the run.',
      );
    },
    ...slides(status, 'training', ({look}) => slideOf(now().run, look)),
  };
  return event => {
    const {open: tab, do: what} = event.target.dataset;
    if (!now().run) return;
    if (tab && !now().hasWeights) status.textContent = NO_WEIGHTS;
    else if (tab) open(tab);
    else actions[what]?.();
  };
}
