import { setTimeout as delay } from 'node:timers/promises';
import { userMessage } from '../../../tests/support/messages.ts';
import { httpRate, sendBody } from '../drive.ts';
import type { Contender, Row } from '../measure.ts';
import { missingPostgres, startPostgres } from '../peers/postgres.ts';
import { missingPython, startPythonServer } from '../peers/python-server.ts';

// The SDK for Python 1.3, beside ours: with its tasks in memory, in PostgreSQL, and in its cluster mode.

/** Why its rows cannot run here; undefined if they can. */
export const missingPeers = missingPython ?? missingPostgres();

const SECONDS = 5;

/** SendMessage by callers who wait. */
function sending(name: string, url: () => string, callers: number, after: () => Promise<unknown>): Contender {
  return {
    name,
    async measure() {
      const load = { url: `${url()}/`, body: sendBody('done', false), connections: callers, seconds: SECONDS };
      const perSecond = await httpRate({ ...load, headers: { 'a2a-version': '1.0' } });
      await after();
      return perSecond;
    },
  };
}

const rateRows: readonly Row[] = [1, 8, 64].map((callers) => ({
  id: `python-${callers}`,
  title: `SendMessage, ${callers} ${callers === 1 ? 'caller' : 'callers'} who wait, and the SDK for Python`,
  unit: 'tasks/s',
  bars: [],
  warmUps: 1,
  async open(stage) {
    const postgres = await startPostgres();
    const servers = await Promise.all([
      startPythonServer(),
      startPythonServer(postgres.url),
      startPythonServer(postgres.url, 'cluster'),
    ]);
    const [memory, database, cluster] = servers.map(
      ({ url }) =>
        () =>
          url,
    );
    const nothing = async (): Promise<void> => undefined;
    const peer = (name: string, url = () => '') => sending(name, url, callers, nothing);
    return {
      ours: sending('Switchyard, durable', () => stage.gateway.url, callers, stage.clear),
      others: [
        peer('Python SDK, in memory', memory),
        peer('Python SDK, PostgreSQL', database),
        peer('Python SDK, its cluster', cluster),
      ],
      close: async () => {
        await Promise.all(servers.map((server) => server.stop()));
        await postgres[Symbol.asyncDispose]();
      },
    };
  },
}));

/** 20 s of work. */
const slow = 'chunks 200 every 100';
const patienceSeconds = 60;

interface Answer {
  readonly task?: { readonly id: string };
  readonly status?: { readonly state: string };
}

async function call(url: string, method: string, params: object): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer: { readonly result?: Answer } = Object(
    await (await fetch(url, { method: 'POST', headers, body })).json(),
  );
  return answer.result ?? {};
}

/** @returns the id of the task */
async function sendSlow(url: string): Promise<string> {
  const { task } = await call(url, 'SendMessage', {
    message: userMessage(slow),
    configuration: { returnImmediately: true },
  });
  return task?.id ?? '';
}

async function secondsToEnd(url: string, id: string): Promise<number> {
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1_000;
  const hasEnded = async (): Promise<boolean> =>
    /COMPLETED|FAILED/.test((await call(url, 'GetTask', { id })).status?.state ?? '');
  while (!(await hasEnded()) && seconds() < patienceSeconds) await delay(200);
  return Math.round(seconds());
}

const killedRow: Row = {
  id: 'python-killed',
  title: `The process that works on a task is killed (20 s of work; ${patienceSeconds} s: the task does not end)`,
  unit: 's from the kill to the end of the task',
  bars: [],
  mostRounds: 1,
  async open(stage) {
    const postgres = await startPostgres();
    const ours = async (): Promise<number> => {
      await stage.withWorker();
      const id = await sendSlow(stage.gateway.url);
      const other = await stage.startWorker({});
      // Until it can take jobs.
      await delay(8_000);
      stage.worker?.kill('SIGKILL');
      const seconds = await secondsToEnd(stage.gateway.url, id);
      await other.stop();
      return seconds;
    };
    const cluster = async (): Promise<number> => {
      const first = await startPythonServer(postgres.url, 'cluster');
      const second = await startPythonServer(postgres.url, 'cluster');
      const id = await sendSlow(`${first.url}/`);
      await delay(1_000);
      await first.stop(0);
      const seconds = await secondsToEnd(`${second.url}/`, id);
      await second.stop();
      return seconds;
    };
    return {
      ours: { name: 'Switchyard, durable', measure: ours },
      others: [{ name: 'Python SDK, its cluster', measure: cluster }],
      close: async () => postgres[Symbol.asyncDispose](),
    };
  },
};

export const pythonRows: readonly Row[] = [...rateRows, killedRow];
