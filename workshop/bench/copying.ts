import { Client } from 'pg';
import { until } from '../../tests/support/until.ts';
import { mean, median } from '../statistics.ts';
import { CALLERS, httpRate, sendBody } from './drive.ts';
import type { Contender, Row } from './measure.ts';
import type { Stage } from './stage.ts';

/**
 * The row beside a worker that copies and rests. Its rounds repeat the measurement, since a worker rests for longer than
 * most take. Tasks stay: without them, nothing would say how far copying is, and the worker would not rest.
 */
export const repeated = (row: Row, roundMs: number): Row => ({
  ...row,
  isShort: false,
  warmUps: 1,
  async open(stage) {
    const { ours, ...contest } = await row.open(withoutClearing(stage));
    return { ...contest, ours: { ...ours, measure: () => meanFor(roundMs, ours) } };
  },
});

const withoutClearing = (stage: Stage): Stage => Object.create(stage, { clear: { value: stage.untilFinished } });

/** Of as many measurements as begin within this time. */
async function meanFor(roundMs: number, { measure }: Contender): Promise<number> {
  const values: number[] = [];
  for (const begun = performance.now(); performance.now() - begun < roundMs; )
    values.push(median([await measure()].flat()));
  return mean(values);
}

/**
 * A contender in whose rounds the worker copies ended tasks to the archive: those of a second before the first round,
 * and new ones. In the rounds of others it is stopped, as copying would go on.
 */
export async function whileCopying({ measure, ...contender }: Contender, copying: Copying): Promise<Contender> {
  const { stage, archiveUrl, notes } = copying;
  const copies = async (): Promise<number> => {
    await using client = await connect(archiveUrl);
    return await client.number('SELECT count(*) FROM switchyard.tasks');
  };
  // That of the row before may rest for a minute.
  await stage.withoutWorker();
  await stage.withWorker();
  await httpRate({ url: stage.gateway.url, body: sendBody('done', true), connections: CALLERS, seconds: 1 });
  await stage.untilFinished();
  // All that has ended is copied at once by a worker that begins.
  await until(stage.copiesUpTo, { what: 'the worker has copied', everyMs: 20, timeoutMs: 60_000 });
  await httpRate({ url: stage.gateway.url, body: sendBody('done', true), connections: CALLERS, seconds: 1 });
  const seen: number[] = [];
  return {
    ...contender,
    async measure() {
      stage.worker?.kill('SIGCONT');
      await stage.untilFinished();
      const [from, begun] = [await copies(), performance.now()];
      const result = await measure();
      seen.push(((await copies()) - from) / ((performance.now() - begun) / 1_000));
      notes['copies a second'] = Math.round(median(seen));
      await stage.untilFinished();
      stage.worker?.kill('SIGSTOP');
      return result;
    },
  };
}

interface Copying {
  readonly stage: Stage;
  readonly archiveUrl: string;
  /** Gets the copies a second, the median of the rounds. */
  readonly notes: Record<string, number>;
}

async function connect(connectionString: string) {
  const client = new Client({ connectionString });
  await client.connect();
  return {
    number: async (sql: string): Promise<number> =>
      Number((await client.query({ text: sql, rowMode: 'array' })).rows[0]?.[0]),
    [Symbol.asyncDispose]: () => client.end(),
  };
}
