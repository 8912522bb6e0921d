// Two answers of a model; what the audience prefers is kept on the server, with the workspace.
/** @import {Component} from '../../../shared/view/component' */
/** @import {TrainServer} from '../../../shared/view/payloads' */
import {counted} from '../../../shared/view/plain.js';
import {ownWorkspace} from '../../../shared/view/workspace.js';

/** @param {Component<unknown, TrainServer>} page */
export function start({element, server}) {
  const find = name => element.querySelector(`.du-${name}`);
  const buttons = [...element.querySelectorAll('button')];
  let number = null;

  async function ask(choice) {
    for (const button of buttons) button.disabled = true;
    find('said').textContent = 'It writes two answers…';
    const reply = await server.duel({workspace: ownWorkspace(), chosen: choice, number});
    for (const button of buttons) button.disabled = false;
    if (!reply || reply.said) {
      find('said').textContent = reply?.said ?? 'The server did not answer. Try again.';
      return;
    }
    number = reply.number;
    find('body').hidden = false;
    element.querySelector('[data-do=begin]').hidden = true;
    find('prompt').textContent = reply.prompt;
    element.querySelectorAll('.du-answer').forEach((node, i) => {
      node.textContent = reply.answers[i] || '(nothing)';
    });
    const gone = `${counted(reply.gone, 'choice')} between answers of an earlier model no longer count. `;
    find('said').textContent =
      `${reply.gone ? gone : ''}${counted(reply.chosen, 'choice')} so far. ` +
      (reply.chosen < 4
        ? 'At least 4 are needed.'
        : 'Set “Who judges the answers” to “you, below”, then press 2.');
  }

  element.addEventListener('click', event => {
    const button = event.target.closest('button');
    if (button?.dataset.do) ask(null);
    else if (button) ask(button.dataset.choice === '' ? null : Number(button.dataset.choice));
  });
}
