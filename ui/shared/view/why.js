// "Why this word?", asked anywhere: opens the view that explains it.
import {goTo} from './places.js';
import {setSentence} from './store.js';

let chosen = {text: '', word: null};
const hearers = new Set();

// Calls when somebody asks, also about a text that is explained already.
export const onWhy = hear => hearers.add(hear);

// The token that was asked about after this text, or null for the likeliest.
export const askedWord = text => (chosen.text === text ? chosen.word : null);

// Explains a token after a text, by its id; null for the likeliest.
export function askWhy(text, word = null) {
  chosen = {text, word};
  setSentence(text);
  for (const hear of hearers) hear(word);
  return goTo(new URLSearchParams({tab: 'attention', view: 'Why this word?'}));
}
