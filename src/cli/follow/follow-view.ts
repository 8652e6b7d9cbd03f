/** What a follower shows of a run while it goes on. */
import type { RunDescription, RunEvent } from '../../contract/run-view.ts';

export type FollowView = {
  /** After every event; `run` is the state with the event in it. `null`: only the state has changed. */
  show(run: RunDescription, event: RunEvent | null): void;
  /** Whatever stood on screen is taken away; nothing is shown after it. */
  close(): void;
};

export const silentView: FollowView = { show: () => undefined, close: () => undefined };
