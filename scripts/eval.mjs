/** `npm run eval -- --corpus DIR --questions FILE [--json]`: how often reports cite the documents that they should. */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { openAsking } from '../bench/eval/ask-in-process.mjs';
import { renderTable, scoreAnswers } from '../bench/eval/score-answers.mjs';

const usage = 'usage: npm run eval -- --corpus DIR --questions FILE [--json]';

function fail(message) {
  console.error(message);
  process.exit(2);
}

function readOptions() {
  try {
    const string = { type: 'string' };
    const { values } = parseArgs({
      options: { corpus: string, questions: string, 'data-dir': string, json: { type: 'boolean' } },
    });
    if (!values.corpus || !values.questions) return fail(`--corpus and --questions are wanted\n${usage}`);
    return { dataDir: '.tributary', ...values };
  } catch (error) {
    return fail(`${error.message}\n${usage}`);
  }
}

const isQuestion = (each) =>
  typeof each?.question === 'string' &&
  Array.isArray(each.expects) &&
  each.expects.length > 0 &&
  each.expects.every((path) => typeof path === 'string');

async function readQuestions(path) {
  const text = await readFile(path, 'utf8').catch((error) => fail(`--questions ${path}: ${error.message}`));
  try {
    const { single = [], multi = [] } = JSON.parse(text);
    if ([...single, ...multi].every(isQuestion)) return { single, multi };
  } catch {
    // Told below: what is wanted says more than where the JSON broke.
  }
  return fail(`--questions ${path}: wanted {"single": [{"question", "expects": [path]}], "multi": [the same]}`);
}

async function answerAll(asking, questions) {
  const answers = [];
  for (const each of questions) answers.push({ ...each, cited: (await asking.ask(each.question)).cited });
  return answers;
}

const options = readOptions();
const questions = await readQuestions(options.questions);
const asking = await openAsking({ corpus: options.corpus, indexDir: `${options.dataDir}/indexes` }).catch((error) =>
  fail(error.message),
);
try {
  const answers = {
    single: await answerAll(asking, questions.single),
    multi: await answerAll(asking, questions.multi),
  };
  console.log(options.json ? JSON.stringify(scoreAnswers(answers)) : renderTable(answers));
} finally {
  await asking.close();
}
