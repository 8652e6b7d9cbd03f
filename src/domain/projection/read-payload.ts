/** Reads payloads of a history, which may come from another version or from a run started by hand: never throws. */
import type { Amounts, CallUsage, Usage } from '../../contract/budget.ts';
import type { ApprovalDecision, ApprovalOutcome } from '../../contract/control.ts';
import type { CancelProof } from '../../contract/cancel-proof.ts';
import type { Claim, SubagentOutcome } from '../../contract/outcome.ts';
import type { Rates } from '../../contract/price.ts';
import type { ResearchRequest } from '../../contract/request.ts';
import type { Draft, RecordedResult } from '../../contract/result.ts';
import type { StoppedUsage } from '../../contract/stopped-usage.ts';
import type { BlobRef, TranscriptHead } from '../../contract/transcript.ts';
import { toEpochMs } from './epoch-ms.ts';

const approvalDecisions: readonly ApprovalDecision[] = ['approved', 'denied', 'expired', 'withdrawn'];

export type PlainRecord = Readonly<Record<string, unknown>>;

export function toRecord(value: unknown): PlainRecord {
  return typeof value === 'object' && value !== null ? (value as PlainRecord) : {};
}

export function readList(value: unknown, key: string): readonly unknown[] {
  const list = toRecord(value)[key];
  return Array.isArray(list) ? list : [];
}

/** `''` where there is no text. */
export function readText(value: unknown, key: string): string {
  const text = toRecord(value)[key];
  return typeof text === 'string' ? text : '';
}

/** 0 where there is no count. */
export function readCount(value: unknown, key: string): number {
  const count = toRecord(value)[key];
  return isCount(count) ? count : 0;
}

export function readTexts(value: unknown, key: string): readonly string[] {
  return readList(value, key).filter((each) => typeof each === 'string');
}

/** What a model activity says it cost, or `null` where it does not say so in our words. */
export function readCallUsage(value: unknown): CallUsage | null {
  const call = toRecord(value);
  const counts = [call.requests, call.inputTokens, call.outputTokens, call.lost, call.requestTokens];
  return counts.every(isCount) && isPrice(call.usd) ? (call as unknown as CallUsage) : null;
}

/** `null` where an activity does not say what it saw of a cancel, as those of earlier versions do not. */
export function readCancelProof(value: unknown): CancelProof | null {
  const proof = toRecord(value);
  const { abortedAt, socketsClosed, socketsOpen, lastSocketClosedAt } = proof;
  const isWhole =
    isTime(abortedAt) &&
    isCount(socketsClosed) &&
    isCount(socketsOpen) &&
    (lastSocketClosedAt === null || isTime(lastSocketClosedAt));
  return isWhole ? (proof as unknown as CancelProof) : null;
}

export function readAmounts(value: unknown, key: string): Amounts | null {
  const amounts = toRecord(toRecord(value)[key]);
  return isCount(amounts.tokens) && isCount(amounts.toolCalls)
    ? {
        tokens: amounts.tokens,
        toolCalls: amounts.toolCalls,
        // Allotments from before there was money in them hold none.
        microUsd: isCount(amounts.microUsd) ? amounts.microUsd : 0,
      }
    : null;
}

/** `null` where the price is unknown. */
export function readRates(value: unknown, key: string): Rates | null {
  const { input, output } = toRecord(toRecord(value)[key]);
  return isPrice(input) && isPrice(output) && input !== null && output !== null ? { input, output } : null;
}

export function readHead(value: unknown, key: string): TranscriptHead | null {
  const head = toRecord(value)[key];
  return isCount(readCountOrNull(head, 'messages')) && readText(head, 'hash') !== '' ? (head as TranscriptHead) : null;
}

export function readBlobRef(value: unknown, key: string): BlobRef | null {
  const ref = toRecord(value)[key];
  return readText(ref, 'hash') !== '' && isCount(readCountOrNull(ref, 'bytes')) ? (ref as BlobRef) : null;
}

export function readOutcome(value: unknown): SubagentOutcome | null {
  const outcome = toRecord(value);
  return readText(outcome, 'id') !== '' && readText(outcome, 'status') !== '' && isUsage(outcome.usage)
    ? (outcome as unknown as SubagentOutcome)
    : null;
}

export function readUsage(value: unknown, key: string): Usage | null {
  const usage = toRecord(value)[key];
  return isUsage(usage) ? usage : null;
}

export function readDrafts(value: unknown, key: string): readonly Draft[] {
  return readList(value, key).filter((each) => readBlobRef(each, 'documentRef') !== null) as Draft[];
}

export function readApprovalOutcome(value: unknown): ApprovalOutcome | null {
  const { id, decision, by, at, reason } = toRecord(value);
  const isKnown = approvalDecisions.some((each) => each === decision);
  if (typeof id !== 'string' || typeof by !== 'string' || typeof at !== 'string' || !isKnown) return null;
  return { id, decision: decision as ApprovalDecision, by, at, ...(typeof reason === 'string' && { reason }) };
}

export function readStopped(value: unknown): StoppedUsage | null {
  const stopped = toRecord(value);
  return readText(stopped, 'id') !== '' && isUsage(stopped.usage) ? (stopped as unknown as StoppedUsage) : null;
}

/** Claims of an outcome's report; none where nothing was handed back. */
export function readClaims(outcome: SubagentOutcome | null): readonly Claim[] {
  return readList(outcome?.report, 'claims').filter((claim) => readText(claim, 'text') !== '') as Claim[];
}

export function readRequest(value: unknown): ResearchRequest | null {
  const request = toRecord(value);
  const budget = toRecord(request.budget);
  const counts = [budget.tokens, budget.toolCalls, budget.wallClock];
  return readText(request, 'question') !== '' && counts.every(isCount) ? (request as unknown as ResearchRequest) : null;
}

export function readRecorded(value: unknown): RecordedResult | null {
  const recorded = toRecord(value);
  const meters = toRecord(recorded.budget);
  const whole =
    readText(recorded, 'status') !== '' &&
    isUsage(recorded.usage) &&
    [meters.tokens, meters.toolCalls, meters.wallClockMs].every((meter) => isCount(toRecord(meter).limit)) &&
    Array.isArray(recorded.subagents) &&
    Array.isArray(recorded.gaps);
  return whole ? (recorded as unknown as RecordedResult) : null;
}

function isUsage(value: unknown): value is Usage {
  const usage = toRecord(value);
  const counts = [usage.inputTokens, usage.outputTokens, usage.tokens, usage.toolCalls, usage.wallClockMs];
  return counts.every(isCount) && isPrice(usage.usd);
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && toEpochMs(value) !== null;
}

function isPrice(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && Number.isFinite(value) && value >= 0);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function readCountOrNull(value: unknown, key: string): number | null {
  const count = toRecord(value)[key];
  return isCount(count) ? count : null;
}
