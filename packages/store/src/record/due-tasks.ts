import {
  type DamagedMember,
  defineScript,
  integer,
  type Parser,
  SET_ASIDE_MS,
  tupleAnd,
  workOff,
} from '@switchyard/redis';
import type { DeploymentDependencies } from '../deployment/deployment.ts';
import type { ShardKeys } from '../deployment/keys.ts';
import { settingsArgNames, settingsArgValues, sharedKeyNames } from './record-args.ts';

/** What a script says of a task that it worked on. */
type DueRow = readonly [word: string, ...unknown[]];

/** A script that includes `due-tasks.lua`. */
export function defineDueScript<Row extends DueRow>(file: string, from: string, row: Parser<Row | DamagedMember>) {
  return defineScript({
    file,
    from,
    keys: ['due', ...sharedKeyNames, 'queues'],
    args: [...settingsArgNames, 'claimMs', 'limit'],
    reply: tupleAnd([integer, integer, integer], row),
  });
}

interface DueSet<Row extends DueRow> {
  readonly key: 'beginBy' | 'suspended';
  readonly script: ReturnType<typeof defineDueScript<Row>>;
  readonly onRow?: (row: Row) => void;
}

/** What was done about the tasks that were due. */
export interface DueTasks {
  /** Number of tasks that were worked on. */
  readonly count: number;
  readonly errors: readonly unknown[];
  /** Time until the next one is due; Infinity: none has a time. */
  readonly nextInMs: number;
}

/** Tasks that one script works on: bounds its duration. */
const AT_ONCE = 100;
/** What is due later than in a hundred years has no time: see suspended.lua. */
const LONGEST_MS = 100 * 365 * 24 * 3_600_000;

/** Works on the tasks of a set of each of these shards that are due. Several processes may do so at once. */
export async function workOffDue<Row extends DueRow>(
  { redis, settings }: Pick<DeploymentDependencies, 'redis' | 'settings'>,
  shards: readonly ShardKeys[],
  { key, script, onRow }: DueSet<Row>,
): Promise<DueTasks> {
  const args = { ...settingsArgValues(settings), claimMs: SET_ASIDE_MS, limit: AT_ONCE };
  const isDamaged = (row: Row | DamagedMember): row is DamagedMember => row[0] === 'damaged';
  let [count, nextInMs] = [0, Number.POSITIVE_INFINITY];
  const workOn = async (keys: ShardKeys): Promise<readonly unknown[]> => {
    let shardNextInMs = Number.POSITIVE_INFINITY;
    const claim = async () => {
      const call = { keys: { due: keys[key], ...keys.shared, queues: keys.queues }, args };
      const [nowMs, done, next, ...rows] = await script.run(redis, call);
      count += done;
      shardNextInMs = next < 0 || next > LONGEST_MS ? Number.POSITIVE_INFINITY : next;
      for (const row of rows) if (!isDamaged(row)) onRow?.(row);
      return { nowMs, done, claimed: [], damaged: rows.filter(isDamaged) };
    };
    const work = async (): Promise<void> => undefined;
    const { errors } = await workOff({ redis, key: keys[key], limit: AT_ONCE, claim, work });
    nextInMs = Math.min(nextInMs, shardNextInMs);
    return errors;
  };
  const errors = (await Promise.all(shards.map(workOn))).flat();
  return { count, errors, nextInMs };
}
