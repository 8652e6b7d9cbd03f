/** Scores of an evaluation: which documents a report cites, against those that it should. */

/**
 * @typedef {{ question: string, expects: string[] }} Question
 * @typedef {Question & { cited: string[] }} Answer `cited`: paths in the corpus, in the order of their first citation
 */

/** Every path of `expects` that is cited, as a share. */
const toRecall = ({ expects, cited }) => expects.filter((path) => cited.includes(path)).length / expects.length;

/** The first citation is the expected document. */
export const isCorrect = ({ expects, cited }) => cited.length > 0 && cited[0] === expects[0];

/**
 * @param {{ single: Answer[], multi: Answer[] }} answers
 * @returns {{ single: { correct: number, total: number }, multi: { recall: number | null } }} `recall`: mean share of
 *   the expected documents that are cited, to four places; `null` without a question
 */
export function scoreAnswers({ single, multi }) {
  const sum = multi.reduce((total, answer) => total + toRecall(answer), 0);
  return {
    single: { correct: single.filter(isCorrect).length, total: single.length },
    multi: { recall: multi.length === 0 ? null : Math.round((sum / multi.length) * 10_000) / 10_000 },
  };
}

/** Lines for people: one a question, then the totals. */
export function renderTable({ single, multi }) {
  const cell = (text, width) => (text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width));
  const line = (question, expected, cited, mark) =>
    `${cell(question, 70)}  ${cell(expected, 28)}  ${cell(cited, 28)}  ${mark}`.trimEnd();
  const percent = (share) => `${Math.round(share * 100)} %`;
  const { single: totals, multi: means } = scoreAnswers({ single, multi });
  return [
    line('QUESTION', 'EXPECTED', 'FIRST CITED', 'OK'),
    ...single.map((each) =>
      line(each.question, each.expects[0], each.cited[0] ?? '(nothing)', isCorrect(each) ? 'yes' : 'NO'),
    ),
    ...multi.map((each) =>
      line(each.question, `${each.expects.length} documents`, `${each.cited.length} cited`, percent(toRecall(each))),
    ),
    '',
    `single: ${totals.correct} of ${totals.total} first citations are the expected document`,
    ...(means.recall === null ? [] : [`multi: ${percent(means.recall)} of the expected documents are cited`]),
  ].join('\n');
}
