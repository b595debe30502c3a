import { setTimeout as delay } from 'node:timers/promises';
import { cpuShares } from '../../../tests/support/process-usage.ts';
import { ask, CALLERS, httpRate, sendBody } from '../measure/drive.ts';
import type { Contender, Contest, Row } from '../measure/row.ts';
import type { Stage } from '../measure/stage.ts';

const OURS = 'Switchyard, durable';
export const MEMORY = 'SDK, in memory';
export const DURABLE = 'SDK, tasks in Redis';
export const LIMIT = 'Express, one bare script';
const RAW = 'BullMQ, jobs that do nothing';
const SECONDS = 3;

/** What callers send, and until when it is measured. The SDK's tasks are completed when they are answered. */
interface Load {
  readonly isImmediate?: boolean;
  readonly callers?: number;
  /** Until the last task is completed, not until it is accepted. */
  readonly toTheEnd?: boolean;
}

interface Sending extends Load {
  readonly id: string;
  readonly title: string;
  readonly hasNoWorker?: boolean;
  /** Multiple of the SDK's rate. */
  readonly atLeast?: number;
}

/** Each task has three processes in turn: with `CALLERS` who wait a quarter of two cores has nothing to do. */
const MANY = 2 * CALLERS;

const sendings: readonly Sending[] = [
  {
    id: 'accept',
    title: 'SendMessage immediate, no worker runs',
    hasNoWorker: true,
    isImmediate: true,
    atLeast: 1.5,
  },
  {
    id: 'accept-while-working',
    title: 'SendMessage immediate, while one worker completes tasks on the same cores',
    isImmediate: true,
    atLeast: 1,
  },
  {
    id: 'complete',
    title: `Tasks accepted and completed (SendMessage, ${MANY} callers who wait)`,
    callers: MANY,
    atLeast: 0.7,
  },
  { id: 'complete-few', title: `Tasks accepted and completed (SendMessage, ${CALLERS} callers who wait)` },
  {
    id: 'complete-later',
    title: 'Tasks accepted and completed (SendMessage immediate, until the last one is completed)',
    isImmediate: true,
    toTheEnd: true,
    atLeast: 0.7,
  },
];

export const sendRows: readonly Row[] = sendings.map(({ atLeast, isImmediate = false, ...sending }) => ({
  ...sending,
  unit: 'tasks/s',
  bars: atLeast === undefined ? [] : [{ to: MEMORY, at: 'least', value: atLeast }],
  warmUps: 1,
  open: (stage) => sendingOn(stage, { isImmediate, ...sending }),
}));

function sendingOn(stage: Stage, { isImmediate = false, callers = CALLERS, toTheEnd = false }: Load): Contest {
  const load = { body: sendBody('done', isImmediate), connections: callers, seconds: SECONDS };
  const notes: Record<string, number> = {};
  const measured = async (): Promise<number> => {
    const count = (await httpRate({ ...load, url: stage.gateway.url })) * SECONDS;
    const answered = performance.now();
    if (toTheEnd) await stage.untilFinished();
    else if (stage.worker) notes['share not completed yet'] = Number(((await stage.unfinished()) / count).toFixed(2));
    return count / (SECONDS + (toTheEnd ? (performance.now() - answered) / 1_000 : 0));
  };
  const ours = async (): Promise<number> => {
    const { result, shares } = await cpuShares(stage.pids, measured);
    for (const [name, share] of Object.entries(shares)) notes[`cpu ${name}`] = Number(share.toFixed(2));
    // What is left of it, tasks to be run and a file to be rewritten, would burden the one that is measured next.
    await stage.clear();
    return result;
  };
  const sdk = async (): Promise<number> => httpRate({ ...load, url: await stage.sdk() });
  return { ours: { name: OURS, measure: ours }, others: [{ name: MEMORY, measure: sdk }], notes };
}

/** From one caller, who feels each hop, to more than the processes can take. */
export const curveCallers = [1, 8, 32, 64, 256] as const;
export const curveKinds = ['immediate', 'blocking'] as const;
export const curveId = (kind: string, callers: number): string => `curve-${kind}-${callers}`;

/** A worker runs on the same cores. The durable alternative is the SDK with a task store in Redis. */
export const curveRows: readonly Row[] = curveKinds.flatMap((kind) =>
  curveCallers.map((callers) => ({
    id: curveId(kind, callers),
    title: `SendMessage ${kind}, ${callers} ${callers === 1 ? 'caller' : 'callers'}`,
    unit: 'tasks/s',
    bars: [{ to: DURABLE, at: 'least', value: 1 }],
    warmUps: 1,
    open: (stage) => pointOn(stage, callers, kind === 'immediate'),
  })),
);

function pointOn(stage: Stage, connections: number, isImmediate: boolean): Contest {
  const load = { body: sendBody('done', isImmediate), connections, seconds: 1 };
  const contender = (name: string, url: () => string | Promise<string>): Contender => ({
    name,
    async measure() {
      const perSecond = await httpRate({ ...load, url: await url() });
      await stage.clear();
      return perSecond;
    },
  });
  return {
    ours: contender(OURS, () => stage.gateway.url),
    others: [
      contender(MEMORY, () => stage.sdk()),
      contender(DURABLE, () => stage.sdk(stage.redisUrl)),
      contender(LIMIT, () => stage.peer('workshop/bench/peers/bare-script.ts', stage.redisUrl)),
    ],
  };
}

export const drainRow: Row = {
  id: 'drain',
  title: 'A worker draining a backlog of trivial tasks (working, completed)',
  unit: 'tasks/s',
  bars: [{ to: RAW, at: 'least', value: 0.4 }],
  open: (stage) => ({
    ours: { name: 'Switchyard', measure: () => drain(stage) },
    others: [{ name: RAW, measure: () => ask('workshop/bench/peers/bull.ts', stage.redisUrl, 'drain', '10000') }],
  }),
};

/** A backlog made without a worker, then worked off by one. The half second in which it starts does not count. */
async function drain(stage: Stage): Promise<number> {
  await stage.clear();
  await stage.withoutWorker();
  await httpRate({ url: stage.gateway.url, body: sendBody('done', true), seconds: 4 });
  const all = await stage.unfinished();
  await stage.withWorker();
  const [from, begun] = [await stage.unfinished(), performance.now()];
  while ((await stage.unfinished()) > all * 0.05) await delay(20);
  return (from - (await stage.unfinished())) / ((performance.now() - begun) / 1_000);
}
