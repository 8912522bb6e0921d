// Starts the page's components, each with its question. Where the page holds only the name of a
// long first value, the value itself comes along.
import {answerOf, askServer, watchSight} from './ask.js';

const first = new Map(); // values that the page only names, by those names

// A server function by its name; "then" is none, so that a promise may hold the server.
const asking = (context, name) =>
  name === 'then' ? undefined : request => askServer(context.server, name, request);

// context: what Gradio gives a component's script; id, needs, asks: of the component
// (`ui.shared.files.component`).
export function begin(start, context, [named, value] = []) {
  if (named) first.set(named, value);
  const {id, needs, asks, element} = context;
  const answer = answerOf(id);
  const raw = () => first.get(context.props.value) ?? context.props.value ?? '';
  Object.assign(answer, {
    needs,
    asks,
    element: element.closest(`#${id}`) ?? element,
    isEmpty: !raw(),
  });
  if (asks) answer.ask = () => context.trigger('ask', {});
  if (raw().startsWith('#')) answer.came(raw()); // it was answered before it was first in sight
  start({
    given: {},
    ...context,
    answer,
    props: {
      get value() {
        return answer.content(raw());
      },
    },
    watch(name, hear) {
      answer.hears.add(hear);
      context.watch(name, () => {
        answer.came(raw());
        hear();
      });
    },
    server: new Proxy({}, {get: (_, name) => asking(context, name)}),
  });
  watchSight(answer);
  answer.mark();
}
