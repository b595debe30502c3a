import { setTimeout as delay } from 'node:timers/promises';
import { openIssuer } from '../../../tests/support/issuer.ts';
import { cpuShares } from '../../../tests/support/process-usage.ts';
import { ask, CALLERS, httpRate, sendBody } from '../drive.ts';
import { atLeast, type Contender, type Contest, type Row } from '../measure.ts';
import type { Stage } from '../stage.ts';

const OURS = 'Switchyard, durable';
export const MEMORY = 'SDK, in memory';
export const DURABLE = 'SDK, tasks in Redis';
export const LIMIT = 'Express, one bare script';
const SECONDS = 3;

/** Each task needs three processes in turn: with only `CALLERS` waiting callers, a quarter of two cores is idle. */
const MANY = 2 * CALLERS;

interface Sending {
  readonly id: string;
  readonly title: string;
  readonly hasNoWorker?: boolean;
  readonly isImmediate?: boolean;
  readonly callers?: number;
  /** Measured until the last task is completed, not accepted. */
  readonly toTheEnd?: boolean;
  /** Relative to the rate of the SDK, whose answers have completed tasks. */
  readonly least?: number;
}

const sendings: readonly Sending[] = [
  {
    id: 'accept',
    title: 'SendMessage immediate, no worker runs',
    hasNoWorker: true,
    isImmediate: true,
    least: 1.5,
  },
  {
    id: 'accept-while-working',
    title: 'SendMessage immediate, while one worker completes tasks on the same cores',
    isImmediate: true,
    least: 1,
  },
  {
    id: 'complete',
    title: `Tasks accepted and completed (SendMessage, ${MANY} callers who wait)`,
    callers: MANY,
    least: 0.7,
  },
  { id: 'complete-few', title: `Tasks accepted and completed (SendMessage, ${CALLERS} callers who wait)` },
  {
    id: 'complete-later',
    title: 'Tasks accepted and completed (SendMessage immediate, until the last one is completed)',
    isImmediate: true,
    toTheEnd: true,
    least: 0.7,
  },
];

const sendRows: readonly Row[] = sendings.map(({ least, ...sending }) => ({
  ...sending,
  unit: 'tasks/s',
  bars: least === undefined ? [] : [atLeast(least, MEMORY)],
  warmUps: 1,
  open: (stage) => sendingOn(stage, sending),
}));

function sendingOn(stage: Stage, { isImmediate = false, callers = CALLERS, toTheEnd = false }: Sending): Contest {
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
    // Remaining tasks and a file to be rewritten would disturb the next contender.
    await stage.clear();
    return result;
  };
  const sdk = async (): Promise<number> => httpRate({ ...load, url: await stage.sdk() });
  return { ours: { name: OURS, measure: ours }, others: [{ name: MEMORY, measure: sdk }], notes };
}

/** SendMessage for a second. */
function sending(stage: Stage, name: string, { url, ...load }: SecondOfSending): Contender {
  return {
    name,
    async measure() {
      const { isImmediate = true, ...more } = load;
      const perSecond = await httpRate({ ...more, url: await url(), body: sendBody('done', isImmediate), seconds: 1 });
      await stage.clear();
      return perSecond;
    },
  };
}

interface SecondOfSending {
  readonly url: () => string | Promise<string>;
  readonly isImmediate?: boolean;
  readonly connections?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** From one caller, who notices each hop, to more than the processes can handle. */
export const curveCallers = [1, 8, 32, 64, 256] as const;
export const curveKinds = ['immediate', 'blocking'] as const;
export const curveId = (kind: string, callers: number): string => `curve-${kind}-${callers}`;

/** A worker runs on the same cores. The durable alternative is the SDK with a task store in Redis. */
export const curveRows: readonly Row[] = curveKinds.flatMap((kind) =>
  curveCallers.map((callers) => ({
    id: curveId(kind, callers),
    title: `SendMessage ${kind}, ${callers} ${callers === 1 ? 'caller' : 'callers'}`,
    unit: 'tasks/s',
    bars: [atLeast(1, DURABLE)],
    warmUps: 1,
    open(stage) {
      const load = { connections: callers, isImmediate: kind === 'immediate' };
      const bare = (): Promise<string> => stage.peer('workshop/bench/peers/bare-script.ts', stage.redisUrl);
      return {
        ours: sending(stage, OURS, { ...load, url: () => stage.gateway.url }),
        others: [
          sending(stage, MEMORY, { ...load, url: () => stage.sdk() }),
          sending(stage, DURABLE, { ...load, url: () => stage.sdk(stage.redisUrl) }),
          sending(stage, LIMIT, { ...load, url: bare }),
        ],
      };
    },
  })),
);

const RAW = 'BullMQ, jobs that do nothing';

const drainRow: Row = {
  id: 'drain',
  title: 'A worker draining a backlog of trivial tasks (working, completed)',
  unit: 'tasks/s',
  bars: [atLeast(0.4, RAW)],
  open: (stage) => ({
    ours: { name: 'Switchyard', measure: () => drain(stage) },
    others: [{ name: RAW, measure: () => ask('workshop/bench/peers/bull.ts', stage.redisUrl, 'drain', '10000') }],
  }),
};

/** A backlog made without a worker, then processed by one. Its first half second, while it starts, does not count. */
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

const NOBODY = 'without authentication';

/** Settings of a gateway with authentication, and headers that it accepts. */
interface Access {
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly close?: () => Promise<void>;
}

/** The cost of authentication. Both gateways are new, and equally warm. */
const accessRow = (
  id: string,
  { name, least }: { name: string; least: number },
  open: (stage: Stage) => Promise<Access>,
): Row => ({
  id,
  title: `SendMessage immediate, ${name}`,
  unit: 'tasks/s',
  hasNoWorker: true,
  isShort: true,
  warmUps: 8,
  bars: [atLeast(least, NOBODY)],
  async open(stage) {
    const { env, headers, close } = await open(stage);
    const [secured, plain] = [await stage.freshGateway(env), await stage.freshGateway()];
    return {
      ours: sending(stage, name, { url: () => secured.url, headers }),
      others: [sending(stage, NOBODY, { url: () => plain.url })],
      close: () => Promise.all([secured.stop(), plain.stop(), close?.()]),
    };
  },
});

export const accessRows: readonly Row[] = [
  accessRow('send-with-key', { name: 'with an API key of Redis', least: 0.95 }, async (stage) => ({
    env: { AUTH: 'api-key' },
    headers: { 'x-api-key': await stage.newApiKey() },
  })),
  accessRow('send-with-jwt', { name: 'with a JSON Web Token', least: 0.9 }, async () => {
    const issuer = await openIssuer();
    const token = await issuer.token({ exp: Math.floor(Date.now() / 1_000) + 3_600 });
    const env = { AUTH: 'jwt', JWT_ISSUER: issuer.url, JWT_AUDIENCE: 'switchyard' };
    return { env, headers: { authorization: `Bearer ${token}` }, close: async () => issuer[Symbol.asyncDispose]() };
  }),
];

export const messageRows: readonly Row[] = [...sendRows, drainRow];
