import { expect, test } from '@jest/globals';
import { Gate } from '../support/gate.ts';
import { holdTurns, keyTool, scriptedModel, subtasks } from '../support/scripts.ts';
import { useWorld } from '../support/temporal.ts';

const { start } = useWorld('report');
/** Answers with the words of a document, which can be cited by its id `d-<key>`. */
const read = keyTool('read', (key) => ({
  text: `All about ${key}: the ${key} is blue.`,
  sources: [{ id: `d-${key}`, url: `${key}.md`, title: `On ${key}` }],
}));
const claim = (key: string, quote = `the ${key} is blue`) => ({
  text: `It is blue, says ${key}.`,
  sourceId: `d-${key}`,
  quote,
});
const reads = (key: string, ...claims: object[]) => [
  { calls: [{ tool: 'read', arguments: { key } }] },
  { report: { summary: `About ${key}.`, claims: claims.length > 0 ? claims : [claim(key)] } },
];
const four = {
  subagents: { s1: reads('sky'), s2: reads('sea'), s3: reads('ink'), s4: [{ fail: { code: 'MODEL_AUTH' } }] },
};

test('citations and sections are numbered by the plan: the report is the same in whatever order the subagents end', async () => {
  const reportOf = async (order: string[]) => {
    const gate = new Gate();
    const model = scriptedModel(four, holdTurns(gate));
    const run = await start({ question: 'What is blue?', subtasks: subtasks(4) }, { model, tools: [read] });
    for (const place of order) {
      await gate.arrival(place);
      gate.open(place);
    }
    const result = await run.result();
    return { document: result.document!, gaps: result.gaps, notes: result.notes };
  };
  const first = ['s1 turn 1', 's2 turn 1', 's3 turn 1', 's4 turn 1'];
  const [forth, back] = await Promise.all([
    reportOf([...first, 's1 turn 2', 's2 turn 2', 's3 turn 2']),
    reportOf([...first.toReversed(), 's3 turn 2', 's2 turn 2', 's1 turn 2']),
  ]);
  expect(back).toEqual(forth);
  expect(forth.document.citations.map(({ marker, sourceId, verified }) => `${marker} ${sourceId} ${verified}`)).toEqual(
    ['[1] d-sky true', '[2] d-sea true', '[3] d-ink true'],
  );
  expect(forth.document.sources.map(({ id, by }) => `${id} ${by}`)).toEqual(['d-sky s1', 'd-sea s2', 'd-ink s3']);
  const headings = forth.document.report.split('\n').filter((line) => line.startsWith('## '));
  expect(headings).toEqual(['## goal 1', '## goal 2', '## goal 3', '## goal 4', '## Gaps', '## Sources']);
  expect(forth.document.report).toContain('- s4 goal 4: failed (provider)'); // from the run's state, not from a model
});

test('a claim on a source that was not read is dropped and said; a quote that does not stand there is marked', async () => {
  const model = scriptedModel({
    subagents: { s1: reads('sky', claim('sky'), claim('moon'), claim('sky', 'the sky is green')) },
    synthesis: { text: 'One [s1.1]. Two [s1.2]. Three [s1.3]. A made-up [7].' },
  });
  const result = await (await start({ question: 'Q', subtasks: subtasks(1) }, { model, tools: [read] })).result();
  const { report, citations } = result.document!;
  expect(citations.map(({ marker, quote, verified }) => `${marker} ${quote} ${verified}`)).toEqual([
    '[1] the sky is blue true',
    '[2] the sky is green false',
  ]);
  expect(report).toContain('One [1]. Two [2] (unverified). Three ~~[s1.3]~~ (no such source). A made-up (7).');
  expect(result.notes.join('\n')).toContain('the draft cited s1.3, which no subagent found');
  const synthesis = model.requests.find(({ place }) => place === 'synthesize')!.request;
  expect(JSON.stringify(synthesis.messages)).toContain('1 claim named a source that was not read');
  expect(JSON.stringify(synthesis.messages)).not.toContain('d-moon');
});

test('a model that cannot write the report, refuses or is cut off: the findings are assembled, and the run is partial', async () => {
  const ways = [
    { fail: { code: 'MODEL_AUTH', message: 'no such key' } },
    { finish: 'refusal', text: 'I would rather not.' },
    { finish: 'length', text: 'The sky is' },
    { text: ' ' },
  ];
  const results = await Promise.all(
    ways.map(async (synthesis) => {
      const model = scriptedModel({ subagents: { s1: reads('sky') }, synthesis });
      const result = await (await start({ question: 'Q', subtasks: subtasks(1) }, { model, tools: [read] })).result();
      expect(model.requests.filter(({ place }) => place === 'synthesize')).toHaveLength(1);
      return result;
    }),
  );
  for (const result of results) {
    expect(result.status).toBe('partial');
    expect(result.failure?.code).toMatch(/^MODEL_/);
    expect(result.document!.report).toContain('- It is blue, says sky. [1]');
    expect(result.document!.citations).toMatchObject([{ marker: '[1]', verified: true }]);
    expect(result.notes.join('\n')).toContain('the model that writes the report failed');
    expect(result.notes.join('\n')).toContain('assembled from the findings without a model');
  }
  expect(results.map(({ failure }) => failure!.message)).toEqual([
    'no such key',
    'the answer ended with "refusal"',
    'the answer ended with "length"',
    'the answer ended without a text',
  ]);
});

test('a budget that leaves too little for a model still yields the findings', async () => {
  const spent = { usage: { inputTokens: 9_600, outputTokens: 0 } };
  const [call, answer] = reads('sky');
  const model = scriptedModel({
    subagents: {
      s1: [
        { ...call, ...spent },
        { ...answer, usage: { inputTokens: 500, outputTokens: 0 } },
      ],
    },
  });
  const budget = { tokens: 14_000, synthesisReserve: 0 };
  const result = await (
    await start({ question: 'Q', subtasks: subtasks(1), budget }, { model, tools: [read] })
  ).result();
  expect(result.document!.report).toContain('It is blue, says sky. [1]');
  expect(result.budget.tokens.spent).toBeLessThanOrEqual(14_000);
});
