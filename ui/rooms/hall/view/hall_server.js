// The server functions of the room, for the modules that ask them; the component hands them over.
/** @import {HallServer} from '../../../shared/view/payloads' */

/** @type {HallServer | null} */
let server = null;

export const serve = given => {
  server = given;
};

// The parsed answer; null where the server does not answer, or refuses.
export const ask = async (name, request) => JSON.parse((await server?.[name](request)) ?? null);

export const codeOf = link => server.code({link});
