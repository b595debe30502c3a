import { Client } from 'pg';
import { until } from '../../tests/support/until.ts';
import { median } from '../statistics.ts';
import { CALLERS, httpRate, sendBody } from './drive.ts';
import type { Contender } from './measure.ts';
import type { Stage } from './stage.ts';

/**
 * A contender in whose rounds the worker copies ended tasks to the archive: those of a second before, and new ones. In
 * the rounds of others it is stopped, as copying would go on.
 */
export function whileCopying({ measure, ...contender }: Contender, { stage, archiveUrl, notes }: Copying): Contender {
  const seen: number[] = [];
  return {
    ...contender,
    async measure() {
      stage.worker?.kill('SIGCONT');
      await using client = await connect(archiveUrl);
      const copies = async (): Promise<number> =>
        Number((await client.rows('SELECT count(*) FROM switchyard.tasks'))[0]);
      await client.rows('TRUNCATE switchyard.tasks, switchyard.counts');
      await httpRate({ url: stage.gateway.url, body: sendBody('done', true), connections: CALLERS, seconds: 1 });
      await stage.untilFinished();
      await until(async () => (await copies()) > 0, { what: 'the worker copies', everyMs: 20, timeoutMs: 60_000 });
      const [from, begun] = [await copies(), performance.now()];
      const result = await measure();
      const seconds = (performance.now() - begun) / 1_000;
      seen.push(((await copies()) - from) / seconds);
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
    rows: async (sql: string): Promise<unknown[]> => (await client.query({ text: sql, rowMode: 'array' })).rows.flat(),
    [Symbol.asyncDispose]: () => client.end(),
  };
}
