import { type Channels, defineScript, integer, list, type RedisConnection, text, tuple, word } from '@switchyard/redis';
import type { AgentAnnouncement, AnnouncedAgent } from './announcement.ts';

const from = import.meta.url;
const announceScript = defineScript({
  file: 'announce.lua',
  from,
  keys: ['agents', 'alive', 'sources', 'reports', 'seen'],
  args: ['channel', 'worker', 'since', 'aliveMs'],
  each: ['agent', 'announcement'],
  reply: integer,
});
const withdrawScript = defineScript({
  file: 'withdraw.lua',
  from,
  keys: ['alive'],
  args: ['channel', 'worker', 'agents*'],
  reply: integer,
});
const forgetAgentScript = defineScript({
  file: 'forget-agent.lua',
  from,
  keys: ['agents', 'alive', 'sources', 'seen'],
  args: ['channel', 'agent'],
  reply: word('forgotten', 'unknown', 'running'),
});
const listAgentsScript = defineScript({
  file: 'list-agents.lua',
  from,
  keys: ['agents', 'alive'],
  args: [],
  reply: tuple(list(text), list(text)),
});

interface Announced {
  /** µs of the first announcement, by Redis' clock; '': there was none. */
  readonly since: number | '';
  /** The announcements as JSON, by agent. */
  readonly byAgent: ReadonlyMap<string, string>;
}

const NOTHING_ANNOUNCED: Announced = { since: '', byAgent: new Map() };

/** Workers announce every few seconds: after three missed announcements one no longer counts. */
const ALIVE_MS = 15_000;
export const announceEveryMs = 5_000;
const UNSEEN_AT_ONCE = 20;

/** The announced agents: written by the workers that can run them, read by the gateways. */
export class Registry {
  readonly #redis: RedisConnection;
  readonly #channels: Channels;
  readonly #keys: ReturnType<typeof registryKeys>;
  /** What the workers of this process have announced. */
  readonly #announced = new Map<string, Announced>();

  constructor(redis: RedisConnection, channels: Channels, prefix: string) {
    this.#redis = redis;
    this.#channels = channels;
    this.#keys = registryKeys(prefix);
  }

  /** Announces the agents of a worker. This is also its heartbeat: call it every `announceEveryMs`. */
  async announce(agents: readonly AgentAnnouncement[], worker: string): Promise<void> {
    const { channel, ...keys } = this.#keys;
    const { since, byAgent } = this.#announced.get(worker) ?? NOTHING_ANNOUNCED;
    const announcements = new Map(agents.map((agent) => [agent.id, JSON.stringify(agent)]));
    const announce = (before: Announced['byAgent']): Promise<number> =>
      announceScript.run(this.#redis, {
        keys,
        args: { channel, worker, since, aliveMs: ALIVE_MS },
        each: Array.from(announcements, ([agent, announcement]) => ({
          agent,
          announcement: before.get(agent) === announcement ? '' : announcement,
        })),
      });
    const first = (await announce(byAgent)) || (await announce(NOTHING_ANNOUNCED.byAgent));
    this.#announced.set(worker, { since: first, byAgent: announcements });
  }

  /** Call it when the worker stops. Its agents stay announced: messages to them are accepted, and wait. */
  async withdraw(agents: readonly Pick<AgentAnnouncement, 'id'>[], worker: string): Promise<void> {
    const { alive, channel } = this.#keys;
    const args = { channel, worker, agents: agents.map(({ id }) => id) };
    await withdrawScript.run(this.#redis, { keys: { alive }, args });
    this.#announced.delete(worker);
  }

  /** Removes the announcement of a retired agent: gateways do not serve it any more. */
  forget(agent: string): Promise<'forgotten' | 'unknown' | 'running'> {
    const { agents, alive, sources, seen, channel } = this.#keys;
    return forgetAgentScript.run(this.#redis, { keys: { agents, alive, sources, seen }, args: { channel, agent } });
  }

  /** Some agents that no worker has announced for this long. */
  unseenFor(ms: number): Promise<string[]> {
    return this.#redis.zrange(this.#keys.seen, '-inf', String(Date.now() - ms), 'BYSCORE', 'LIMIT', 0, UNSEEN_AT_ONCE);
  }

  /** All announced agents, sorted by id. */
  async list(): Promise<AnnouncedAgent[]> {
    const [announcements, alive] = await listAgentsScript.run(this.#redis, { keys: this.#keys, args: {} });
    const workers = workersByAgent(alive);
    const announced: AnnouncedAgent[] = [];
    for (let i = 1; i < announcements.length; i += 2) announced.push(announcedAgent(announcements[i] ?? '', workers));
    return announced.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** The announcement of an agent; undefined if there never was one. */
  async find(id: string): Promise<AgentAnnouncement | undefined> {
    const stored = await this.#redis.hget(this.#keys.agents, id);
    return stored === null ? undefined : JSON.parse(stored.slice(stored.indexOf(' ') + 1));
  }

  /** Ids of all announced agents, with or without a live worker. */
  ids(): Promise<string[]> {
    return this.#redis.hkeys(this.#keys.agents);
  }

  /** @returns ends the subscription */
  async onChange(listener: () => void): Promise<() => void> {
    await this.#channels.subscribe(this.#keys.channel, listener);
    return () => this.#channels.unsubscribe(this.#keys.channel, listener);
  }
}

function registryKeys(prefix: string) {
  const root = `${prefix}{agents}:`;
  return {
    agents: `${root}agents`,
    alive: `${root}alive`,
    sources: `${root}sources`,
    seen: `${root}seen`,
    reports: `${root}workers:reports`,
    channel: `${root}changed`,
  };
}

/** @param alive `<agent>/<worker>` of each worker that is alive */
function workersByAgent(alive: readonly string[]): ReadonlyMap<string, number> {
  const workers = new Map<string, number>();
  for (const member of alive) {
    const agent = member.slice(0, member.indexOf('/'));
    workers.set(agent, (workers.get(agent) ?? 0) + 1);
  }
  return workers;
}

function announcedAgent(stored: string, workers: ReadonlyMap<string, number>): AnnouncedAgent {
  const blank = stored.indexOf(' ');
  const announcement: AgentAnnouncement = JSON.parse(stored.slice(blank + 1));
  const updatedAt = new Date(Number(stored.slice(0, blank))).toISOString();
  return { ...announcement, workers: workers.get(announcement.id) ?? 0, updatedAt };
}
