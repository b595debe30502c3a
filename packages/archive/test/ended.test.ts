import type { EndedRange } from '@switchyard/store';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { missingPostgres } from '../../../tests/support/postgres.ts';
import { endedStatement } from '../src/ended.ts';
import { archivedTask, timeOf } from './support/archived-tasks.ts';
import { useArchive } from './support/use-archive.ts';

const rangeOf = (fields: Partial<EndedRange> = {}): EndedRange => ({
  letters: 'CFXR',
  after: '',
  since: '',
  upto: '',
  before: '~',
  size: 7,
  ...fields,
});

/** As far as a plan of PostgreSQL is read here. */
interface Plan {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Plan[];
}

describe.skipIf(skippedFor(missingPostgres))('ended tasks of a tenant, or of a principal, in the archive', () => {
  const stage = useArchive();

  it.each(['acme/', 'acme/al/'])('are in the order of their end, page by page, within times: %s', async (prefix) => {
    const owners = ['acme/al/pizza', 'acme/al/pasta', 'acme2/al/pizza', 'acme/al2/pizza'];
    const tasks = Array.from({ length: 200 }, (_, i) =>
      archivedTask(`task-${i}`, Math.floor(i / 5), { owner: owners[i % 4] ?? '', letter: 'CFXRM'[i % 5] ?? 'C' }),
    );
    await stage.archive.put(tasks);
    const filters = [{}, { since: timeOf(8) }, { upto: timeOf(30) }, { since: timeOf(8), before: timeOf(30) }];
    for (const filter of filters) {
      const range = rangeOf(filter);
      const expected = tasks
        .filter(({ owner, letter }) => owner.startsWith(prefix) && letter !== 'M')
        .filter(({ endedAt: at }) => at >= range.since && at < range.before && (!range.upto || at <= range.upto))
        .map(({ endedAt, id }) => endedAt + id)
        .sort();
      const found: string[] = [];
      for (let after = ''; ; after = found.at(-1) ?? '') {
        const page = await stage.archive.endedOf(prefix, { ...range, after });
        found.push(...page);
        if (page.length < range.size) break;
      }
      expect(found, JSON.stringify(filter)).toEqual(expected);
    }
  });

  it.each(['late/', 'late/al/'])(
    'are found without those of others, also of one that came late: %s',
    async (prefix) => {
      const client = new Client({ connectionString: stage.url });
      await client.connect();
      onTestFinished(() => client.end());
      await client.query(`
      INSERT INTO switchyard.tasks (id, tenant_key, principal_key, owner_key, agent_key, time, ended_at, letter, head)
      SELECT 'late-' || i, tenant, tenant || 'al/', tenant || 'al/pizza', 'pizza', at, at, (ARRAY['C', 'C', 'F', 'X'])[1 + i % 4], repeat('x', 300)
      FROM (SELECT i, CASE WHEN i > 15000 THEN 'late/' ELSE 'early/' END AS tenant, lpad(i::text, 8, '0') AS at
        FROM generate_series(1, 20000) AS i) AS all_tasks ON CONFLICT DO NOTHING`);
      await client.query('VACUUM ANALYZE switchyard.tasks');
      for (const after of ['', '00017000late-17000']) {
        const { text, values = [] } = endedStatement('switchyard.tasks', prefix, rangeOf({ after, size: 100 }));
        const { rows } = await client.query({ text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values: [...values] });
        expect(readIn(rows[0]['QUERY PLAN'][0].Plan), after).toBeLessThan(1_000);
      }
    },
  );
});

/** How many rows of tables and indexes were looked at. */
function readIn(plan: Plan): number {
  const plans = plan.Plans ?? [];
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const own = plans.length === 0 ? (plan['Actual Rows'] + removed) * plan['Actual Loops'] : 0;
  return plans.reduce((sum, one) => sum + readIn(one), own);
}
