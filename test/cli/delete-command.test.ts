import { describe, expect, test } from '@jest/globals';
import { callCli, startCli, until } from '../support/cli-harness.ts';
import { createFakeResearch, description, type FakeResearch } from '../support/fake-research-api.ts';

function withEndedRun(): FakeResearch {
  const research = createFakeResearch();
  research.place(description('run_1', { status: 'completed' })).end('completed');
  return research;
}
const deletions = (research: FakeResearch) =>
  research.runs[0]!.steers.filter(({ action }) => action === 'delete').length;

describe('delete', () => {
  test('says what it removed and what stays, and for whom', async () => {
    const research = withEndedRun();
    const call = await callCli(['delete', '@last', '-y'], { research });
    expect(call.exitCode).toBe(0);
    expect(call.stdout.text).toBe(
      'deleted run_1: 21 histories, 143 blobs (2.1 MB), its record; 12 blobs stay: run_Y uses them\n',
    );
    expect(deletions(research)).toBe(1);
  });

  test('prints one document with --json', async () => {
    const call = await callCli(['delete', 'run_1', '-y', '--json'], { research: withEndedRun() });
    expect(JSON.parse(call.stdout.text)).toEqual({
      ...{ type: 'delete', runId: 'run_1', dryRun: false, histories: 21, record: true },
      ...{ blobs: 143, bytes: 2_100_000, blobsKept: 12, users: ['run_Y'] },
    });
  });

  test('removes nothing and asks nothing with --dry-run', async () => {
    const research = withEndedRun();
    const call = await callCli(['delete', 'run_1', '--dry-run'], { research });
    expect(call.exitCode).toBe(0);
    expect(call.stdout.text).toMatch(/^would delete run_1: 21 histories/);
    expect(deletions(research)).toBe(0);
  });

  test('off a terminal needs --yes, and says so before a server is started', async () => {
    const research = withEndedRun();
    const call = await callCli(['delete', 'run_1'], { research });
    expect(call.exitCode).toBe(7);
    expect(call.stderr.text).toContain('tributary delete run_1 -y');
    expect(call.stderr.text).toContain('--dry-run');
    expect(call.counts.opened).toBe(0);
    expect(deletions(research)).toBe(0);
  });

  test.each([
    ['y', 1],
    ['', 0],
    ['n', 0],
  ])('on a terminal the answer %j deletes %i runs', async (answer, count) => {
    const research = withEndedRun();
    const call = startCli(['delete', 'run_1'], { research, stdinIsTty: true, stderr: { isTTY: true } });
    await until(() => call.stderr.text.includes('[y/N]'));
    call.stdin.write(`${answer}\n`);
    expect(await call.exit).toBe(0);
    expect(deletions(research)).toBe(count);
  });

  test('of a run that goes on is refused with exit code 10', async () => {
    const research = createFakeResearch();
    research.place(description('run_1'));
    const call = await callCli(['delete', 'run_1', '-y'], { research });
    expect(call.exitCode).toBe(10);
    expect(deletions(research)).toBe(0);
  });
});

test('show says that what it shows is what was kept', async () => {
  const research = createFakeResearch();
  research.place(description('run_1', { status: 'completed', isKept: true })).end('completed');
  const call = await callCli(['show', 'run_1'], { research });
  expect(call.stderr.text).toContain('its history is gone (retention)');
  expect(call.stdout.text).not.toContain('history is gone');
});
