import {strict as assert} from 'node:assert';
import {test} from 'node:test';
import {fileNameOf, sourceLine} from '../../../ui/shared/view/source.js';

test('a saved file is named after what it is, its model and the beginning of its text', () => {
  const about = {model: 'mini', text: 'Once there was a queen'};
  assert.equal(fileNameOf('why.csv', about), 'gpt-lens-why-mini-once-there-was-a.csv');
  assert.equal(fileNameOf('run.json', {model: '', text: ''}), 'gpt-lens-run.json');
  assert.equal(
    fileNameOf('attention-layer0-head1', about),
    'gpt-lens-attention-layer0-head1-mini-once-there-was-a',
  );
  assert.equal(
    fileNameOf('why.csv', {model: 'me/mine', text: '“Où” est-il?'}),
    'gpt-lens-why-me-mine-où-est-il.csv',
  );
  assert.equal(fileNameOf('why.csv', {model: 'mini', text: '…!'}), 'gpt-lens-why-mini.csv');
  assert.ok(fileNameOf('a.csv', {model: 'm', text: 'x'.repeat(500)}).length < 70);
});

test('the line under a picture has the model and the end of a long text', () => {
  assert.equal(sourceLine({model: 'mini', text: 'a cat'}), 'mini · “a cat” · GPT Lens');
  assert.equal(sourceLine({model: '', text: ''}), 'GPT Lens');
  assert.match(sourceLine({model: 'mini', text: `${'x'.repeat(200)} end`}), /“…x+ end”/);
});
