import type { Message } from '@switchyard/protocol';
import { checkAll, checkNames, checkRange } from '../checks/checks.ts';

/**
 * How many turns of an agent may run, over all workers, with those of its skills. What is beyond waits in the queue. A
 * turn that is suspended does not count until it goes on.
 *
 *     limits: { running: 5, runningPerTenant: 2, starts: '600/m' },
 */
export interface AgentLimits {
  /** Turns at a time, 1 to 10,000. Default: as many as its workers run. */
  readonly running?: number | undefined;
  /** Turns of a tenant at a time, 1 to 10,000. Default: no limit. */
  readonly runningPerTenant?: number | undefined;
  /**
   * The key of a message: of turns with the same key, `runningPerKey` run at a time. Undefined or '': the message has
   * none. It must depend on the message alone, and is called again when a turn is retried. Keys may have 200 characters;
   * those that begin with the same ones count as one.
   *
   *     limits: { runningPer: (message) => message.metadata?.['repository']?.toString() },
   */
  readonly runningPer?: (message: Message) => string | undefined;
  /** Turns with the same key at a time, 1 to 10,000. Default: 1. */
  readonly runningPerKey?: number | undefined;
  /**
   * Attempts that begin, `<count>/s`, `/m` or `/h`, at most a million of them: `600/m` is one each 100 ms. Unused starts
   * are saved for a second. Retries and turns that go on count, too. Default: no limit.
   */
  readonly starts?: string | undefined;
}

/** The limits of an agent, with all defaults. */
export interface CheckedLimits extends Omit<AgentLimits, 'starts'> {
  readonly startsPerMinute?: number;
}

const most = 10_000;
const mostStarts = 1_000_000;
const perMinute: Readonly<Record<string, number>> = { s: 60, m: 1, h: 1 / 60 };
const names = {
  running: true,
  runningPerTenant: true,
  runningPer: true,
  runningPerKey: true,
  starts: true,
} satisfies Record<keyof AgentLimits, true>;

/** @throws {TypeError} naming every field that is wrong */
export function checkLimits(limits: AgentLimits): CheckedLimits {
  if (limits === null) throw new TypeError('its limits is no object');
  const { runningPer, running, runningPerTenant, runningPerKey, starts } = limits;
  const checkCount = (name: string, value: number | undefined) => () =>
    value === undefined || checkRange(`limits.${name}`, value, most);
  const { startsPerMinute } = checkAll({
    names: () => checkNames('limits.', limits, names),
    running: checkCount('running', running),
    runningPerTenant: checkCount('runningPerTenant', runningPerTenant),
    runningPerKey: checkCount('runningPerKey', runningPerKey),
    keys: () => checkKeys(limits),
    startsPerMinute: () => (starts === undefined ? undefined : startsIn(starts)),
  });
  return {
    ...(running !== undefined && { running }),
    ...(runningPerTenant !== undefined && { runningPerTenant }),
    ...(runningPer && { runningPer, runningPerKey: runningPerKey ?? 1 }),
    ...(startsPerMinute !== undefined && { startsPerMinute }),
  };
}

function checkKeys({ runningPer, runningPerKey }: AgentLimits): void {
  if (runningPer !== undefined && typeof runningPer !== 'function')
    throw new TypeError('its limits.runningPer is no function');
  if (runningPerKey !== undefined && !runningPer)
    throw new TypeError('its limits.runningPerKey needs limits.runningPer, which gives the key of a message');
}

function startsIn(text: string): number {
  const [, count, unit = ''] = /^(\d{1,9})\/([smh])$/.exec(text) ?? [];
  if (count === undefined)
    throw new TypeError(`its limits.starts is "${text}" and must be such as "600/m", per s, m or h`);
  checkRange('limits.starts', Number(count), mostStarts);
  return Number(count) * (perMinute[unit] ?? 1);
}
