// The names of parts that are switched off, as a link and the server write them
// (`heads/ablation.py`).
import {valueOf} from '../../../shared/view/store.js';
import {writeField} from '../../../shared/view/text_boxes.js';

const NONE = 'none';

// keys: "layer,kind,head" of each part. Gives "L5H6,L0-attention", "none" for no part.
export function namesOf(keys) {
  const names = keys.map(key => {
    const [layer, kind, head] = key.split(',');
    return kind === 'head' ? `L${layer}H${head}` : `L${layer}-${kind}`;
  });
  return names.join(',') || NONE;
}

// Switches a head off, besides what is off already.
export function switchHeadOff([layer, head]) {
  const name = `L${layer}H${head}`;
  const off = (valueOf('off') || NONE).split(',').filter(item => item !== NONE && item !== name);
  writeField('off', [...off, name].join(','));
}
