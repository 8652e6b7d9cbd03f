import { describe, expect, test } from '@jest/globals';
import { toolErrorText } from '../../src/domain/tool-error-text.ts';

describe('texts for calls that did not answer', () => {
  test('a deadline names the seconds', () => {
    expect(toolErrorText.deadline(30)).toContain('did not respond within 30 seconds');
    expect(toolErrorText.deadline(1)).toContain('within 1 second and');
    expect(toolErrorText.batchDeadline(90)).toContain('within 90 seconds');
  });

  test('an automatic cancel is not worded like a cancel by the user', () => {
    expect(toolErrorText.cancelled()).toContain('the user');
    expect(toolErrorText.cancelledSibling('refund')).toContain('automatically, not by the user');
    expect(toolErrorText.cancelledSibling('refund')).toContain('"refund"');
  });

  test('a skipped call names the one that failed', () => {
    expect(toolErrorText.skipped('cancel_order')).toContain(
      'skipped because the call of "cancel_order" before it failed',
    );
  });

  test('an unknown tool is told by a bounded name, with the tools that there are', () => {
    const text = toolErrorText.unknownTool('x'.repeat(1_000_000), ['search', 'read']);
    expect(text.length).toBeLessThan(250);
    expect(text).toContain('The tools are: search, read.');
    expect(toolErrorText.unknownTool('multi_tool_use.parallel', [])).toContain('There are no tools in this turn.');
  });

  test('a truncated reply, a lost write and a tool that does not stop say what they are', () => {
    expect(toolErrorText.truncated()).toContain('truncated by the output limit');
    expect(toolErrorText.unknownOutcome()).toContain('may or may not have been made');
    expect(toolErrorText.mayStillRun()).toContain('Cancelled, may still be running');
  });
});
