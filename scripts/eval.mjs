/**
 * `npm run eval -- --corpus DIR --questions FILE [--json]`: how often reports cite the documents that they should.
 * Each question is a research run; with `--in-process` model and tools are asked without Temporal, which is quicker.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { renderTable, scoreAnswers } from '../bench/eval/score-answers.mjs';
import { isBuilt } from './build.mjs';

const usage = 'usage: npm run eval -- --corpus DIR --questions FILE [--json] [--in-process]';
/** Runs at once: a run is mostly waiting for its own steps. */
const maxConcurrency = 2;

class UsageError extends Error {}

function readOptions() {
  const string = { type: 'string' };
  const boolean = { type: 'boolean' };
  try {
    const options = { corpus: string, questions: string, json: boolean, 'in-process': boolean };
    const { values } = parseArgs({ options });
    if (values.corpus && values.questions) return { ...values, inProcess: values['in-process'] ?? false };
  } catch (error) {
    throw new UsageError(error.message);
  }
  throw new UsageError('--corpus and --questions are wanted');
}

const isQuestion = (each) =>
  typeof each?.question === 'string' &&
  Array.isArray(each.expects) &&
  each.expects.length > 0 &&
  each.expects.every((path) => typeof path === 'string');

async function readQuestions(path) {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw new UsageError(`--questions ${path}: ${error.message}`);
  });
  try {
    const { single = [], multi = [] } = JSON.parse(text);
    if ([...single, ...multi].every(isQuestion)) return { single, multi };
  } catch {
    // Told below: what is wanted says more than where the JSON broke.
  }
  throw new UsageError(`${path}: wanted {"single": [{"question", "expects": [path]}], "multi": [the same]}`);
}

async function openAsking({ inProcess, corpus }, folder) {
  if (inProcess) {
    const { openInProcess } = await import('../bench/eval/ask-in-process.mjs');
    return openInProcess({ corpus, indexDir: join(folder, 'indexes') });
  }
  const { openRuns } = await import('../bench/eval/ask-by-runs.mjs');
  return openRuns({ corpus, dataDir: folder });
}

/** Answers in the order of the questions, at most `maxConcurrency` asked at once. */
async function answerAll(asking, questions) {
  const answers = [];
  const waiting = [...questions.entries()];
  const askNext = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, question] = next;
      const { cited } = await asking.ask(question.question);
      answers[at] = { ...question, cited };
    }
  };
  await Promise.all(Array.from({ length: maxConcurrency }, askNext));
  return answers;
}

async function evaluate() {
  const options = readOptions();
  const questions = await readQuestions(options.questions);
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  if (!isBuilt(root)) throw new Error('the product is not built as its sources are now; first:  npm run setup');
  const folder = await mkdtemp(join(tmpdir(), 'tributary-eval-'));
  try {
    const asking = await openAsking(options, folder);
    try {
      const single = await answerAll(asking, questions.single);
      const multi = await answerAll(asking, questions.multi);
      console.log(options.json ? JSON.stringify(scoreAnswers({ single, multi })) : renderTable({ single, multi }));
    } finally {
      await asking.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await evaluate().catch((error) => {
  console.error(error instanceof UsageError ? `error: ${error.message}\n${usage}` : `error: ${error.message}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
