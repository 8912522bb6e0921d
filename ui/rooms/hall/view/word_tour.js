// "Follow one word": one guess of the mini, from the words that it comes from to the update at which it formed.
const TEXT = 'One day, Lily lost her hat. Tom said, "Do not cry, Lily. I will help you find your';
const why = 'tab=attention&view=Why this word?';

export const WORD_TOUR = {
  title: 'Follow one word',
  at: 0,
  own: '',
  steps: [
    [
      `tab=start&model=mini&text=${encodeURIComponent(TEXT)}`,
      '#start .st-bars',
      'Lily lost her hat. What will Tom help her find? “Hat”, it guesses.',
      'Nobody told it how: follow the word back.',
    ],
    [
      'tab=start',
      '#start .mc-box',
      'The word on its way. Block after block it would say something else;',
      'only the last block makes “hat” the first guess.',
    ],
    [
      'tab=attention&view=Layers',
      '#lens .ln-knew',
      'When did it know? Press Play: above each word is what it would have said after that many layers.',
    ],
    [
      why,
      '#why .wy-table',
      'Why hat and not its rival? What each part wrote for it adds up exactly.',
      'The thin line below a bar is the check: the part switched off, and the model run again.',
    ],
    [
      why,
      '#why .ct-words',
      'Where it comes from: how much each word of the text adds.',
      'The “hat” at the beginning counts, thirteen words back.',
    ],
    [
      why,
      '#why .ct-drawing',
      'The way it takes, from the words on the left to the answer.',
      'Click a square, a head, to switch it off, and see what it then says.',
    ],
    [
      `${why}&see=%23why .fm`,
      '#why .fm-drawing',
      'When did this form? The same parts after so many updates of its training. For a long time: nothing.',
    ],
    [
      'tab=attention&view=Two sentences',
      '#patching .pt-table',
      'The proof in one cell. Two sentences that differ in a word: click a cell,',
      'B gets A’s value there, and ends as A does.',
    ],
    [
      'tab=attention&view=Heads',
      '#attention .at-grid',
      'The heads that did it. Open “What it does whatever the text” for one:',
      'it copies what it looks at, here and in any sentence.',
    ],
    [
      'tab=generate&view=Steer',
      '#steer-strength',
      'And by hand: a direction added to the stream makes every story sadder. Move the strength.',
      'Now follow a word of yours.',
    ],
  ].map(([link, point, ...sentences]) => ({link, point, say: sentences.join(' ')})),
};
