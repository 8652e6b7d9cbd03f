/** Calls that a person must decide on: numbers them, waits for the decision, and tells the subagent that asked. */
import { CancellationScope, isCancellation, setHandler, sleep } from '@temporalio/workflow';
import {
  approvalAskSchema,
  decideApprovalInputSchema,
  personWaitSchema,
  type ApprovalAsk,
  type ApprovalOutcome,
  type DecideApprovalInput,
} from '../contract/control.ts';
import { TributaryError } from '../contract/failure.ts';
import { parseInput } from '../contract/invalid-input.ts';
import { rootOf } from '../domain/subagent-tree.ts';
import {
  approvalAnsweredSignal,
  approvalAskedSignal,
  decideApprovalUpdate,
  personWaitSignal,
} from '../temporal/names.ts';
import type { RunState } from './run-state.ts';
import type { SubagentLinks } from './subagent-links.ts';
import { onSound } from './on-sound.ts';
import { toValidator } from './to-validator.ts';

type Asked = {
  readonly ask: ApprovalAsk;
  readonly patience: CancellationScope;
  outcome: ApprovalOutcome | null;
};

/** Who decided where no person did. */
const nobody = 'tributary';

export class ApprovalDesk {
  private readonly run: RunState;
  private readonly links: SubagentLinks;
  /** By id, in the order in which they were asked: `ap_1` is the first. */
  private readonly asked = new Map<string, Asked>();
  /** Tools that a person has allowed for the rest of this run, and who it was. */
  private readonly remembered = new Map<string, string>();

  constructor(run: RunState, links: SubagentLinks) {
    this.run = run;
    this.links = links;
    setHandler(approvalAskedSignal, (ask) => onSound(approvalAskSchema, ask, (sound) => this.ask(sound)));
    // One further down has ended while it waited; the run itself hears of the ends of its own subagents alone.
    setHandler(personWaitSignal, (wait) => onSound(personWaitSchema, wait, ({ subagentId }) => this.close(subagentId)));
    setHandler(decideApprovalUpdate, (input) => this.decide(decideApprovalInputSchema.parse(input)), {
      validator: toValidator(
        (input) => parseInput(decideApprovalInputSchema, input, 'approval'),
        (input) => this.check(input),
      ),
    });
  }

  /** A subagent has ended: what it asked for is withdrawn. */
  close(subagentId: string): void {
    for (const [id, { ask, outcome }] of this.asked)
      if (!outcome && (ask.subagentId === subagentId || ask.subagentId.startsWith(`${subagentId}.`)))
        this.end(id, { decision: 'withdrawn', by: nobody });
  }

  private ask(ask: ApprovalAsk): void {
    const id = `ap_${this.asked.size + 1}`;
    const patience = new CancellationScope({ cancellable: true });
    this.asked.set(id, { ask, patience, outcome: null });
    const allowedBy = this.remembered.get(ask.tool);
    if (allowedBy !== undefined) return this.end(id, { decision: 'approved', by: allowedBy });
    if (this.run.finalizing !== null) return this.end(id, { decision: 'withdrawn', by: this.run.finalizing.by });
    this.run.waits.begin({ kind: 'approval', key: id, whose: rootOf(ask.subagentId) });
    patience
      .run(() => sleep(this.run.request.personTimeout))
      .then(
        () => this.end(id, { decision: 'expired', by: nobody }),
        (error: unknown) => {
          if (!isCancellation(error)) throw error;
        },
      );
  }

  /** Deciding the same again is no conflict: the first answer stands, and is given. */
  private decide(input: DecideApprovalInput): ApprovalOutcome {
    const { id, decision, by, reason, args, remember } = input;
    const { ask, outcome } = this.asked.get(id)!;
    if (outcome) return outcome;
    if (decision === 'approved' && remember === 'run') this.remembered.set(ask.tool, by);
    this.end(id, { decision, by, ...(reason !== undefined && { reason }), ...(args && { args }) });
    if (remember === 'run' && decision === 'approved') this.approveOthers(ask.tool, by);
    return this.asked.get(id)!.outcome!;
  }

  private approveOthers(tool: string, by: string): void {
    for (const [id, { ask, outcome }] of this.asked)
      if (!outcome && ask.tool === tool) this.end(id, { decision: 'approved', by });
  }

  private end(
    id: string,
    end: Pick<ApprovalOutcome, 'decision' | 'by'> & { reason?: string; args?: DecideApprovalInput['args'] },
  ): void {
    const asked = this.asked.get(id)!;
    const { args, ...told } = end;
    asked.outcome = { id, at: new Date().toISOString(), ...told };
    asked.patience.cancel();
    const { subagentId, callId } = asked.ask;
    this.run.waits.end({ kind: 'approval', key: id, whose: rootOf(subagentId) });
    const answer = { ...asked.outcome, callId, ...(args && { args }) };
    this.links.send(subagentId, (handle) => handle.signal(approvalAnsweredSignal, answer));
  }

  private check({ id, decision, args, remember }: DecideApprovalInput): void {
    const asked = this.asked.get(id);
    if (!asked) {
      const open = [...this.asked].filter(([, { outcome }]) => !outcome).map(([each]) => each);
      throw new TributaryError(
        'APPROVAL_NOT_FOUND',
        `the run ${this.run.request.runId} has no approval ${id}; open are: ${open.join(', ') || 'none'}`,
      );
    }
    if (decision === 'denied' && (args !== undefined || remember !== 'never'))
      throw new TributaryError('INVALID_REQUEST', 'approval: args and remember go with an approval, not with a denial');
    const { outcome } = asked;
    if (outcome && outcome.decision !== decision) {
      const who = outcome.by === nobody ? '' : ` by ${outcome.by}`;
      throw new TributaryError(
        'ALREADY_DECIDED',
        `approval ${id} was already ${outcome.decision}${who} at ${outcome.at}`,
      );
    }
  }
}
