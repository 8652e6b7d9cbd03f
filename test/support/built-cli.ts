/** The built product in real processes, on a data folder of the test's own. */
import { Client, Connection } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const cli = join(import.meta.dirname, '..', '..', 'dist', 'cli.js');
export type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string };
type History = temporal.api.history.v1.IHistoryEvent[];

export class Installation {
  readonly dataDir: string;
  readonly folder: string;
  private readonly programs = new Set<ChildProcess>();
  private connection: Connection | null = null;

  private constructor(folder: string) {
    this.folder = folder;
    this.dataDir = join(folder, 'state');
  }

  static async create(): Promise<Installation> {
    return new Installation(await mkdtemp(join(tmpdir(), 'tributary-e2e-')));
  }

  /** Starts a command and does not wait. */
  spawn(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    const program = spawn(process.execPath, [cli, ...args, '--data-dir', this.dataDir], {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, TRIBUTARY_MODEL: undefined, TEMPORAL_ADDRESS: undefined, ...env },
    });
    this.programs.add(program);
    program.once('exit', () => this.programs.delete(program));
    return program;
  }

  async run(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Finished> {
    return collect(this.spawn(args, env));
  }

  /** A worker of its own process; resolves when it says that it polls. */
  async startWorker(env?: NodeJS.ProcessEnv): Promise<ChildProcess> {
    const worker = this.spawn(['worker'], env);
    await saysOnStderr(worker, /polls|polling|working/i);
    return worker;
  }

  async serverPid(): Promise<number> {
    return ((await this.readServer()) as { pid: number }).pid;
  }

  async client(): Promise<Client> {
    const { address, namespace } = await this.readServer();
    this.connection ??= await Connection.connect({ address });
    return new Client({ connection: this.connection, namespace });
  }

  /** Histories of the run and its subagents, by workflow id. */
  async histories(runId: string): Promise<Map<string, History>> {
    const client = await this.client();
    const events = async (workflowId: string) =>
      (await client.workflow.getHandle(workflowId).fetchHistory()).events ?? [];
    const histories = new Map<string, History>([[runId, await events(runId)]]);
    for (const event of histories.get(runId)!) {
      const child = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId;
      if (child) histories.set(child, await events(child));
    }
    return histories;
  }

  async destroy(): Promise<void> {
    await this.connection?.close();
    const ended = [...this.programs].map((program) => once(program, 'exit'));
    for (const program of this.programs) program.kill('SIGTERM');
    const force = setTimeout(() => [...this.programs].forEach((program) => program.kill('SIGKILL')), 15_000);
    await Promise.all(ended);
    clearTimeout(force);
    const server = await this.readServer().catch(() => null);
    if (server) {
      try {
        process.kill(server.pid, 'SIGKILL');
      } catch {
        // the last program has stopped it
      }
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  async readServer(): Promise<{ address: string; namespace: string; pid: number }> {
    const record = JSON.parse(await readFile(join(this.dataDir, 'server.json'), 'utf8')) as {
      ports: { grpc: number };
      namespace: string;
      pid: number;
    };
    return { address: `127.0.0.1:${record.ports.grpc}`, namespace: record.namespace, pid: record.pid };
  }
}

export async function collect(program: ChildProcess): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  program.stdout!.on('data', (chunk) => (stdout += String(chunk)));
  program.stderr!.on('data', (chunk) => (stderr += String(chunk)));
  const [code] = (await once(program, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** Resolves when the program has written this to stderr; rejects with what it wrote when it ends before. */
export async function saysOnStderr(program: ChildProcess, pattern: RegExp): Promise<void> {
  let text = '';
  await new Promise<void>((resolve, reject) => {
    program.stderr!.on('data', (chunk) => {
      text += String(chunk);
      if (pattern.test(text)) resolve();
    });
    program.once('exit', () => reject(new Error(`it ended and never said ${String(pattern)}:\n${text}`)));
  });
}

/** Milliseconds of a history time. */
export function timeOf(event: History[number]): number {
  return Number(event.eventTime?.seconds ?? 0) * 1_000 + Math.floor((event.eventTime?.nanos ?? 0) / 1e6);
}
