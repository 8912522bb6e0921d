// The sentence on Start, kept when another model or checkpoint is picked.
let held = null;

export const holdSentence = sentence => {
  held = sentence;
};

// JSON of {model, ids, own}: by which model it was cut, and whether the visitor has changed it; "" before there is one.
export const heldSentence = () => (held ? JSON.stringify(held) : '');
