/** Tells a process from a later one with the same pid, by the moment it started. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A text that no other process has had under this pid; `null` = no such process, or one that has ended (a zombie). */
export async function readProcessIdentity(pid: number): Promise<string | null> {
  return process.platform === 'linux' ? readFromProc(pid) : readFromPs(pid);
}

/** Whether the process that had this identity still lives. */
export async function isSameProcess(pid: number, identity: string): Promise<boolean> {
  return (await readProcessIdentity(pid)) === identity;
}

async function readFromProc(pid: number): Promise<string | null> {
  const [stat, bootId] = await Promise.all([
    readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null),
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
  ]);
  if (stat === null) return null;
  // The name in parentheses may hold spaces and parentheses: fields are counted from its end. See proc_pid_stat(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  return `${bootId.trim()}:${fields[19]}`;
}

async function readFromPs(pid: number): Promise<string | null> {
  try {
    const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
    const { stdout } = await run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { env });
    const match = /^\s*(\S+)\s+(.+?)\s*$/.exec(stdout);
    return match && !match[1]!.startsWith('Z') ? match[2]! : null;
  } catch {
    // ps exits with 1 where no process has this pid.
    return null;
  }
}
