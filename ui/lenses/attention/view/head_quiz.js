// The quiz: roles are hidden, and the room guesses what a head does.
import {add} from '../../../shared/view/page.js';
import {ROLES, same} from './roles.js';

export function headQuiz(view) {
  const {part, pick, roleText} = view;
  let quiz = null,
    asks = 0,
    hits = 0;
  function nextQuestion() {
    const clear = [];
    view.value.roles.forEach((row, layer) =>
      row.forEach(([role, leans], head) => {
        if (role !== 'mixed' && !leans) clear.push([layer, head]);
      }),
    );
    if (clear.length < 2) {
      view.status.textContent =
        'Too few heads of this model have a clear role on this text. Try the model “induction”, or GPT-2.';
      return;
    }
    const others = clear.filter(at => !same(at, view.chosen));
    quiz = {guess: null};
    pick(others[Math.floor(Math.random() * others.length)]);
  }
  function question() {
    const {value, chosen} = view;
    const box = part('quiz');
    box.textContent = '';
    box.hidden = !quiz;
    part('quiz-button').textContent = quiz ? 'End the quiz' : 'Quiz';
    part('body').classList.toggle('quizzing', Boolean(quiz));
    if (!quiz) return;
    const [role, leans] = value.roles[chosen[0]][chosen[1]];
    add(box, 'b', '', 'Where does this head look most?');
    for (const [name, [, short, long]] of Object.entries(ROLES)) {
      if (name === 'mixed') continue;
      const button = add(box, 'button', quiz.guess === name ? 'chosen' : '', short);
      button.type = 'button';
      button.title = long;
      button.disabled = quiz.revealed === true;
      button.addEventListener('click', () => {
        quiz.guess = name;
        question();
      });
    }
    const act = add(box, 'button', 'at-primary u-act', quiz.revealed ? 'Next head' : 'Reveal');
    act.type = 'button';
    act.addEventListener('click', () => {
      if (quiz.revealed) {
        nextQuestion();
        return;
      }
      if (quiz.guess && role !== 'mixed' && !leans) {
        // a head without a clear role is no question
        asks++;
        if (quiz.guess === role) hits++;
      }
      quiz.revealed = true;
      question();
      part('role').textContent = `It ${roleText(chosen)}`;
    });
    if (quiz.revealed)
      add(
        box,
        'span',
        '',
        `${quiz.guess === role ? 'Right' : `It ${roleText(chosen)}`}. ${asks ? `${hits} of ${asks} so far.` : ''}`,
      );
  }
  function endQuiz() {
    quiz = null;
    asks = hits = 0;
    question();
    pick(view.chosen);
  }

  return {
    get open() {
      return quiz !== null;
    },
    another: () => {
      if (quiz) quiz = {guess: null};
    }, // another head, another question
    ask: () => {
      if (quiz) question();
    },
    toggle: () => (quiz ? endQuiz() : nextQuestion()),
    end: endQuiz,
  };
}
