import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Ops } from '@switchyard/operators';
import { Store } from '@switchyard/store';
import type { Program } from '../../../tests/support/process.ts';
import { until } from '../../../tests/support/until.ts';
import type { RedisDeployment } from '../redis/deployments.ts';

/** The guarantees, and their names in the table of violations. Every count must be 0. */
export const guarantees = {
  lost: 'tasks lost, or ended otherwise than without faults',
  twice: 'tasks finished twice',
  waits: 'suspended tasks lost or stuck, sleeps that ended early, events lost or taken twice',
  priorities: 'tasks with a priority lost or stuck, or ended otherwise than without faults',
  limits: 'turns beyond the limits of their agents, all or of a key, and starts beyond their rate',
  ttl: 'messages with a time to live begun after it, both begun and rejected, or neither',
  schedules: 'scheduled tasks begun twice, early, or more than 30 s late; schedules with a gap or a double',
  events: 'events missing, out of order or duplicated at a resuming client',
  grpc: 'gRPC streams that differ from the task',
  unreadable: 'ended tasks that could not be read, differed, or were not listed once',
  deleted: 'deleted tasks that could be read or were listed',
  files: 'files lost, or with another content',
  leftFiles: 'files left when all tasks were gone',
  artifacts: 'artifacts that differ from a run without faults',
  history: 'wrong histories',
  pushes: 'webhooks missing or out of order',
  effects: 'agents that began after their task was over',
  steps: 'steps that ran again though a later one had begun',
  usage: 'tasks whose usage of models is too low or too high',
  crashes: 'processes that ended by themselves',
  secrets: 'secrets or messages in logs',
  keys: 'leaked keys',
} as const;

export interface Violation {
  readonly kind: keyof typeof guarantees;
  /** Details for an investigation. */
  readonly what: string;
}

type Effect = Awaited<ReturnType<typeof readEffects>>[number];

/** What agents noted when they began a turn or a step: steps count from 1; NaN stands for the turn itself. */
export async function readEffects(file: string) {
  const lines = (await readFile(file, 'utf8').catch(() => '')).trim().split('\n');
  return lines.map((line) => {
    const [taskId = '', attempt = '', beganMs, step] = line.split(' ');
    return { taskId, attempt, beganMs: Number(beganMs), step: Number(step) };
  });
}

/** Agents that began a task after a client had seen its end. @param endedMs by task, by `machineMs` */
export function lateEffects(effects: readonly Effect[], endedMs: ReadonlyMap<string, number>): Violation[] {
  return effects.flatMap(({ taskId, attempt, beganMs }): Violation[] => {
    const late = beganMs - (endedMs.get(taskId) ?? Number.POSITIVE_INFINITY);
    return late > 0 ? [{ kind: 'effects', what: `${taskId}: attempt ${attempt} began ${late} ms after its end` }] : [];
  });
}

/** Agents that began a message that was rejected because nobody had begun it in its time. */
export function begunThoughRejected(effects: readonly Effect[], rejected: ReadonlySet<string>): Violation[] {
  return effects.flatMap(({ taskId, attempt, step }): Violation[] =>
    rejected.has(taskId) && Number.isNaN(step)
      ? [{ kind: 'ttl', what: `${taskId} was rejected: attempt ${attempt} ran` }]
      : [],
  );
}

/** Steps that ran although a later one of their task had begun, so that their results were stored. */
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
 * Keys that stay as long as a deployment does: its id, the registry, the audit trail up to its retention, and BullMQ's
 * own keys of each queue; the lease of the last process and the time of its last check; what is copied to an archive.
 * All other keys belong to a task and must be deleted with it.
 */
const LASTING =
  /\{agents\}:(?:agents|alive|audit|deployment|schema(?::programs)?|seen|shards|sources|workers(?::reports)?)$|\}:(?:checked|confirmed|q|running(?::queues)?)$|:outbox:(?:archived(?::claim)?|room)$|\}:usage:(?:spent:)?[\d-]+$|:q:[^:]+:(?:meta|events|marker|id|removed)$/;

/** Keys that are left after the retention of all tasks. Waits at most `withinMs` for their deletion. */
export async function leakedKeys(redis: RedisDeployment, prefix: string, withinMs: number): Promise<string[]> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const masters = await redis.masters();
    const replies = await Promise.all(masters.map((node) => node.ask(`KEYS ${prefix}*`)));
    const keys = replies.flatMap((reply) => reply.split('\r\n').filter((line) => line.startsWith(prefix)));
    const leaked = keys.filter((key) => !LASTING.test(key));
    if (!leaked.length || Date.now() > deadline) return leaked;
    await delay(500);
  }
}

/** Lines of any process' output that contain one of the secrets. */
export function leakedSecrets(programs: readonly Program[], secrets: readonly string[]): Violation[] {
  const lines = programs.flatMap((program) => program.output().split('\n'));
  return secrets.flatMap((secret) =>
    lines.flatMap((line): Violation[] => {
      const at = line.indexOf(secret);
      return at < 0 ? [] : [{ kind: 'secrets', what: `${secret} in ${line.slice(Math.max(0, at - 150), at + 100)}` }];
    }),
  );
}

const OPEN = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED'] as const;

/** Checks that no ended task is in an index, or counted, as if it were open. */
export async function openInIndexes(redisUrl: string, prefix: string, agent: string): Promise<Violation[]> {
  const store = new Store({ redisUrl, prefix }, () => undefined);
  await store.start('reader');
  const open = async (): Promise<number> => {
    const found = await new Ops(store).searchTasks({ agent, states: OPEN, pageSize: 10, hasText: false });
    const tenants = await new Ops(store).tenants.list();
    return found.totalSize + tenants.reduce((sum, { openTasks }) => sum + openTasks, 0);
  };
  try {
    await until(async () => (await open()) === 0, { what: 'no task is open', timeoutMs: 30_000, everyMs: 500 });
    return [];
  } catch (error) {
    return [{ kind: 'keys', what: `${await open()} tasks count as open: ${error}` }];
  } finally {
    await store.stop();
  }
}
