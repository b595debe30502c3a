import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Program } from '../../../tests/support/process.ts';
import type { RedisDeployment } from '../redis/deployment.ts';

/** What is promised, and how the table names its breach. Every count must be 0. */
export const guarantees = {
  lost: 'tasks lost, or ended otherwise than without faults',
  twice: 'tasks finished twice',
  events: 'events missing, out of order or duplicated at a resuming client',
  grpc: 'gRPC streams that differ from the task',
  artifacts: 'artifacts that differ from a run without faults',
  history: 'wrong histories',
  pushes: 'webhooks missing or out of order',
  effects: 'agents that began after their task was over',
  steps: 'steps that ran again though a later one had begun',
  crashes: 'processes that ended by themselves',
  secrets: 'secrets or messages in logs',
  keys: 'leaked keys',
} as const;

export type Guarantee = keyof typeof guarantees;

export interface Violation {
  readonly kind: Guarantee;
  /** Enough to look into it. */
  readonly what: string;
}

/** Milliseconds by a clock that all processes of this machine share and no step of the time of day moves. */
export const machineMs = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** What agents noted when they began a turn, or a step of it. */
interface Effect {
  readonly taskId: string;
  readonly attempt: string;
  readonly beganMs: number;
  /** From 1; NaN: the turn itself. */
  readonly step: number;
}

export async function readEffects(file: string): Promise<Effect[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [taskId = '', attempt = '', beganMs, step] = line.split(' ');
      return { taskId, attempt, beganMs: Number(beganMs), step: Number(step) };
    });
}

/** Agents that began for a task after a client had seen its end. @param endedMs by task, by `machineMs` */
export function lateEffects(effects: readonly Effect[], endedMs: ReadonlyMap<string, number>): Violation[] {
  return effects.flatMap(({ taskId, attempt, beganMs }): Violation[] => {
    const late = beganMs - (endedMs.get(taskId) ?? Number.POSITIVE_INFINITY);
    return late > 0 ? [{ kind: 'effects', what: `${taskId}: attempt ${attempt} began ${late} ms after its end` }] : [];
  });
}

/** Steps that ran although a later one of their task had begun: their results were known by then. */
export function repeatedSteps(effects: readonly Effect[]): Violation[] {
  const last = new Map<string, number>();
  return effects.flatMap(({ taskId, step }): Violation[] => {
    if (Number.isNaN(step)) return [];
    const before = last.get(taskId) ?? 0;
    last.set(taskId, Math.max(before, step));
    return step < before ? [{ kind: 'steps', what: `${taskId}: step ${step} ran after step ${before}` }] : [];
  });
}

/**
 * What stays for as long as a deployment does: the registry, the audit trail up to its retention, and of each queue what
 * BullMQ keeps of the queue itself. When it was last checked and what its consumers took last expire twice a lock's time after the last worker.
 * Everything else belongs to a task and must be gone with it.
 */
const LASTING =
  /\{agents\}:(?:agents|alive|audit|schema(?::programs)?|shards|sources|workers(?::reports)?)$|:q:[^:]+:(?:meta|events|marker|id|checked|took:.+)$/;

/** Keys that are left once all tasks are past their retention. Waits for them to go, at most `withinMs`. */
export async function leakedKeys(redis: RedisDeployment, prefix: string, withinMs: number): Promise<string[]> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const leaked = (await allKeys(redis, prefix)).filter((key) => !LASTING.test(key));
    if (!leaked.length || Date.now() > deadline) return leaked;
    await delay(500);
  }
}

async function allKeys(redis: RedisDeployment, prefix: string): Promise<string[]> {
  const masters = await redis.masters();
  const replies = await Promise.all(masters.map((node) => node.ask(`KEYS ${prefix}*`, 5_000)));
  return replies.flatMap((reply) => reply.split('\r\n').filter((line) => line.startsWith(prefix)));
}

/** Lines of any process' output in which one of the secrets stands. */
export function leakedSecrets(programs: readonly Program[], secrets: readonly string[]): Violation[] {
  const lines = programs.flatMap((program) => program.output().split('\n'));
  return secrets.flatMap((secret) =>
    lines
      .filter((line) => line.includes(secret))
      .map((line): Violation => ({ kind: 'secrets', what: `${secret} in ${around(line, line.indexOf(secret))}` })),
  );
}

const around = (line: string, at: number): string => line.slice(Math.max(0, at - 150), at + 100);
