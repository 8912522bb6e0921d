// What the rooms beside the lenses offer, their servers too: it is found here by its name, and no
// lens imports a room.
const offers = new Map();

export const offer = (name, thing) => offers.set(name, thing);

// Undefined until its room has started.
export const offered = name => offers.get(name);

// The parsed answer of a room's server; null where it does not answer, or refuses.
export const askRoom = async (room, name, request) =>
  JSON.parse((await offered(room)?.[name](request)) ?? null);
