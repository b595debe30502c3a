import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../../../tests/support/until.ts';
import { temporaryFolder } from '../../system.ts';
import { type KillPoint, killFile } from '../inject/kill-point.ts';
import { type RedisDeployment, startSingle } from '../redis/deployments.ts';
import { beyondLimits } from '../workload/held-places.ts';
import { playScenario } from '../workload/play-scenario.ts';
import { gatewaysOf, ResilientClient } from '../workload/resilient-client.ts';
import { createScenario, groupOf, type LimitedKind } from '../workload/scenario.ts';
import { replaceDead, type Scene, startScene } from '../workload/scene.ts';
import { begunThoughRejected } from '../workload/violations.ts';

// Kills a process just before and just after each script of places, and of times to live. The turns must end as without
// the kill, never be more than their agent's limits allow, and leave no place taken.

type Point = KillPoint & { readonly kind: LimitedKind; readonly ttlMs?: number };

const scriptsOfPlaces = ['find-jobs', 'take-places', 'take-turns', 'free-place'];
const both = (point: Omit<Point, 'when'>): readonly Point[] => [
  { ...point, when: 'before' },
  { ...point, when: 'after' },
];
const workers = (kind: LimitedKind, scripts: readonly string[]): readonly Point[] =>
  scripts.flatMap((script) => both({ kind, app: 'worker', script }));

/** Each group has gateways and workers of its own, so that no kill interrupts the turns of another one. */
const groups: Readonly<Record<string, readonly Point[]>> = {
  'places of an agent': workers('limited', scriptsOfPlaces),
  'places of keys, and starts': workers('keyed', [...scriptsOfPlaces, 'park-jobs']),
  'times to live': ['worker', 'gateway'].flatMap((app) =>
    both({ kind: 'keyed', app, script: 'reject-messages', ttlMs: 300 }),
  ),
};

/** More than there are places. */
const AT_ONCE = 4;
const TWO_LEASES_MS = 7_000;

let redis: RedisDeployment;
beforeAll(async () => {
  redis = await startSingle();
});
afterAll(() => redis[Symbol.asyncDispose]());

test.concurrent.each(Object.entries(groups))(
  'whatever is killed, %s: all turns end, never more than the limits at once, and no place is left taken',
  async (_, points) => {
    await using folder = await temporaryFolder();
    const env = {
      MAX_ATTEMPTS: '100',
      NODE_OPTIONS: `--import=${new URL('../inject/kill-at-script.ts', import.meta.url).href}`,
      KILL_FOLDER: folder.path,
    };
    const agents = [`${points[0]?.kind ?? 'limited'}-agent`] as const;
    await using scene = await startScene({ redis, agents, gateways: 2, workers: 2, env });
    const found: string[] = [];
    for (const point of points) found.push(...(await problemsAt(scene, folder.path, point)));
    expect(found).toEqual([]);
    expect(beyondLimits(await scene.confirmed())).toEqual([]);
  },
);

/** Everything that went wrong with the tasks during which a process was killed. */
async function problemsAt({ stack, ...scene }: Scene, folder: string, point: Point): Promise<string[]> {
  const { kind, ttlMs } = point;
  const name = `${killFile(point)} of ${kind}`;
  const rejected = new Set<string>();
  const play = async (options: { readonly size: number; readonly ttlMs?: number | undefined }) => {
    const scenario = createScenario(kind, keyIn(`group-${point.script.length % 3}`), { ...options, watches: 'sse' });
    const client = new ResilientClient(gatewaysOf(stack, `${kind}-agent`), 0);
    const { violations } = await playScenario(client, scenario, {
      begunMs: (taskId) => scene.begunMs(taskId),
      onEnded: ({ id, status }) => {
        if (status.state === 'TASK_STATE_REJECTED') rejected.add(id);
      },
    });
    return violations.map(({ kind: broken, what }) => `${name}: ${broken}: ${what}`);
  };
  const isKilled = async (): Promise<boolean> =>
    (await readdir(folder)).some((file) => file.startsWith(`${killFile(point)} `));
  await writeFile(join(folder, killFile(point)), '');
  // A turn that is long enough for a time to live to end while it has the place of its key.
  const first = ttlMs === undefined ? [] : [play({ size: 60 })];
  if (ttlMs !== undefined)
    await until(async () => (await takenPlaces(scene, kind)) > 0, { what: `${name}: the place is taken` });
  const played = [...first, ...Array.from({ length: AT_ONCE }, () => play({ size: 8, ttlMs }))];
  await until(isKilled, { what: `${name}: the process is killed`, timeoutMs: 30_000, everyMs: 20 });
  await replaceDead(stack, { gateways: 2, workers: 2 });
  const problems = (await Promise.all(played)).flat();
  problems.push(...begunThoughRejected(await scene.effects(), rejected).map(({ what }) => `${name}: ${what}`));
  if (ttlMs !== undefined && rejected.size !== AT_ONCE) problems.push(`${name}: ${rejected.size} were rejected`);
  await until(async () => (await takenPlaces(scene, kind)) === 0, {
    what: `${name}: all places are free`,
    timeoutMs: TWO_LEASES_MS,
  });
  return problems;
}

/** The key of a scenario whose turns are in this group. */
function keyIn(group: string): string {
  const id = crypto.randomUUID();
  return ['0', '1', '2'].map((end) => id + end).find((key) => groupOf(key) === group) ?? id;
}

async function takenPlaces({ node, prefix }: Pick<Scene, 'node' | 'prefix'>, kind: LimitedKind): Promise<number> {
  const reply = await node.ask(`HGET ${prefix}{s0}:running:queues ${prefix}{s0}:q:@places~${kind}-agent:`);
  return Number(/^(\d+)/m.exec(reply)?.[1] ?? 0);
}
