// Starts the page's components. Where the page holds only the name of a long first value, the value itself comes along.
import {look} from './connection.js';

const first = new Map(); // values that the page only names, by those names

export function begin(start, context, [named, value] = []) {
  if (named) first.set(named, value);
  start({
    given: {},
    ...context,
    props: {
      get value() {
        return first.get(context.props.value) ?? context.props.value;
      },
    },
    server: new Proxy({}, {get: (_, name) => request => ask(context.server, name, request)}),
  });
}

// Never fails: undefined stands for no answer.
async function ask(server, name, request) {
  const answer = await server[name](request).catch(() => undefined);
  if (answer === undefined) look(); // no answer at all: is the server there?
  return answer;
}
