// What the rooms beside the lenses offer: a lens finds it here by its name, and imports none of them.
const offers = new Map();

export const offer = (name, thing) => offers.set(name, thing);

// Undefined until its room has started.
export const offered = name => offers.get(name);
