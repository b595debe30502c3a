import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** The processes that a process has started, and their descendants. */
export function descendantsOf(pid: number): RunningProcess[] {
  const all = allProcesses();
  const below = (parent: number): RunningProcess[] =>
    all.filter((process) => process.parent === parent).flatMap((child) => [child, ...below(child.pid)]);
  return below(pid);
}

/** Also those in their own PID namespaces, where they have other ids. */
export function processesWith(text: string): RunningProcess[] {
  return allProcesses().filter(({ command }) => command.includes(text));
}

/** A process that has ended, and whose parent has not taken note of it yet (a zombie), is not alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function allProcesses(): RunningProcess[] {
  return existsSync('/proc/self/stat') ? fromProc() : fromPs();
}

/** A small Debian has no ps. */
function fromProc(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProc(Number(pid)) ?? []);
}

function readProc(pid: number): RunningProcess | undefined {
  try {
    // The name, in brackets, can itself contain spaces and brackets, so fields are counted after the last bracket.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, parent: Number(parent), command };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

function fromPs(): RunningProcess[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return Array.from(stdout.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm), ([, pid, parent, command = '']) => ({
    pid: Number(pid),
    parent: Number(parent),
    command,
  }));
}
