import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suspendedUri } from '@switchyard/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { temporaryFolder } from '../../system.ts';
import { type KillPoint, killFile } from '../inject/kill-point.ts';
import { type RedisDeployment, startSingle } from '../redis/deployments.ts';
import { playScenario } from '../workload/play-scenario.ts';
import { createScenario, LIMIT, type ScenarioKind } from '../workload/scenario.ts';
import { replaceDead, type Scene, startScene } from '../workload/scene.ts';

// Kills a process just before and just after each script of a suspended turn. Its task must end as without the kill.

interface Moment {
  readonly kind: ScenarioKind;
  readonly app: 'worker' | 'gateway';
  readonly script: string;
  /** Kills at the first script after the turn was suspended. Default: at the first one of the task. */
  readonly isSuspended?: true;
  /** A step may run twice whose result was not stored. */
  readonly repeats?: true;
}

const worker = (kind: ScenarioKind, script: string, more: Partial<Moment> = {}): Moment =>
  ({ kind, app: 'worker', script, ...more }) as const;
const gateway = (kind: ScenarioKind, script: string): Moment => ({ kind, app: 'gateway', script, isSuspended: true });

/** Each group has gateways and workers of its own, so that no kill interrupts the task of another one. */
const groups: Readonly<Record<string, readonly Moment[]>> = {
  'a sleep': [
    worker('sleep', 'end-step', { repeats: true }),
    worker('sleep', 'begin-wait'),
    worker('sleep', 'suspend-turn'),
    worker('sleep', 'resume-turns'),
    worker('sleep', 'take-turns', { isSuspended: true }),
    worker('sleep', 'begin-wait', { isSuspended: true }),
  ],
  'an event': [
    worker('callback', 'make-callback'),
    gateway('callback', 'give-event'),
    gateway('events', 'give-event'),
    worker('events', 'begin-wait', { isSuspended: true }),
    worker('events', 'begin-step', { isSuspended: true }),
    gateway('idle', 'cancel'),
  ],
  'a budget, or the pace of a model': [
    worker('metered', 'record-usage'),
    worker('metered', 'check-budget'),
    worker('metered', 'ask-for-room'),
    worker('metered', 'correct-pace'),
  ],
  'a call, or the retry of a step': [
    worker('call', 'make-tasks'),
    worker('call', 'resume-turns'),
    worker('call', 'end-tasks', { isSuspended: true }),
    worker('retry', 'postpone-step'),
    worker('retry', 'begin-step', { isSuspended: true, repeats: true }),
  ],
};

let redis: RedisDeployment;
beforeAll(async () => {
  redis = await startSingle();
});
afterAll(() => redis[Symbol.asyncDispose]());

test.concurrent.each(Object.entries(groups))(
  'whatever is killed during %s, the turn resumes once and loses nothing',
  async (_, moments) => {
    await using folder = await temporaryFolder();
    const preload = new URL('../inject/kill-at-script.ts', import.meta.url).href;
    const limits = join(folder.path, 'limits.json');
    await writeFile(limits, JSON.stringify({ [LIMIT]: { requestsPerMinute: 1_200, tokensPerMinute: 12_000 } }));
    const env = {
      MAX_ATTEMPTS: '100',
      MODEL_LIMITS: limits,
      NODE_OPTIONS: `--import=${preload}`,
      KILL_FOLDER: folder.path,
    };
    await using scene = await startScene({ redis, gateways: 2, workers: 2, env });
    const found: string[] = [];
    for (const moment of moments)
      for (const when of ['before', 'after'] as const)
        found.push(...(await problemsOf(scene, folder.path, { ...moment, when })));
    expect(found).toEqual([]);
    expect(await scene.node.ask(`ZCARD ${scene.prefix}{s0}:outbox:suspended`)).toContain(':0');
  },
);

/** Everything that went wrong with a task during which a process was killed. */
async function problemsOf(scene: Scene, folder: string, point: Moment & KillPoint): Promise<string[]> {
  const { stack, client } = scene;
  const name = `${killFile(point)} of ${point.kind}${point.isSuspended ? ', suspended' : ''}`;
  const arm = (): Promise<void> => writeFile(join(folder, killFile(point)), '');
  const isKilled = async (): Promise<boolean> =>
    (await readdir(folder)).some((file) => file.startsWith(`${killFile(point)} `));
  let taskId = '';
  const goOn = async (id: string): Promise<void> => {
    taskId = id;
    if (!point.isSuspended) return;
    const isSuspended = async (): Promise<boolean> => (await client.read(id)).metadata?.[suspendedUri] !== undefined;
    await until(isSuspended, { what: `${name}: the turn is suspended`, timeoutMs: 30_000, everyMs: 20 });
    await arm();
  };
  if (!point.isSuspended) await arm();
  const scenario = createScenario(point.kind, crypto.randomUUID(), { size: 9, watches: 'sse' });
  const played = playScenario(client, scenario, { goOn });
  await until(isKilled, { what: `${name}: the process is killed`, timeoutMs: 30_000, everyMs: 20 });
  await replaceDead(stack, { gateways: 2, workers: 2 });
  const { violations } = await played;
  const steps = (await scene.effects()).filter((effect) => effect.taskId === taskId && !Number.isNaN(effect.step));
  const ran = steps.map(({ step }) => step);
  const again = ran.filter((step, i) => ran.indexOf(step) !== i);
  return [
    ...violations.map(({ kind, what }) => `${name}: ${kind}: ${what}`),
    ...(point.repeats && again.length < 2 ? [] : again.map((step) => `${name}: step ${step} ran again`)),
  ];
}
