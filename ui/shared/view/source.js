// What a saved file is about: its name says the model and the beginning of the text, and the file
// holds both, with the link that shows the same again.
import {linkFor, placeOf, stateOfView} from './link.js';
import {sentence, valueOf} from './store.js';
import {pickedModel} from './tabs.js';

const WORDS = 4; // of a text that stand in a file's name
const LETTERS = 40;
const SHAPES = ['parameters', 'train']; // tabs whose files name their shape or run themselves
const PICKED = 'the model above'; // what a tab with a model of its own calls the one in the picker

// Words of a text in a file's name.
const slug = text => {
  const words = String(text).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return [...words.slice(0, WORDS).join('-').toLowerCase()].slice(0, LETTERS).join('');
};

// "gpt-lens-why-mini-once-there-was-a.csv" of "why.csv".
export function fileNameOf(name, {model, text}) {
  const [, what, ending] = name.match(/^(.*?)(\.\w+)?$/);
  const parts = ['gpt-lens', what, model.replaceAll('/', '-'), slug(text)];
  return parts.filter(Boolean).join('-') + (ending ?? '');
}

// {model, text, link} of the open view; "" for a text that it does not show.
export function source() {
  const {tab, view} = placeOf();
  const asked = tab?.name === 'zero-shot' ? valueOf('zs.asked') : '';
  const model = SHAPES.includes(tab?.name) ? '' : asked && asked !== PICKED ? asked : pickedModel();
  const text = (view ?? tab)?.shows_sentence ? sentence() || (valueOf('text') ?? '') : '';
  return {model, text, link: linkFor(stateOfView())};
}

// The same as one line under a picture's title.
export function sourceLine({model, text}) {
  const parts = [model, text && `“${text.length > 90 ? `…${text.slice(-90)}` : text}”`, 'GPT Lens'];
  return parts.filter(Boolean).join(' · ');
}
