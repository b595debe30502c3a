import type { Channels } from '../redis/channels.ts';
import type { RedisConnection } from '../redis/connection.ts';
import { Script } from '../redis/script.ts';
import type { AgentAnnouncement, AnnouncedAgent } from './announcement.ts';

const announceScript = new Script('announce.lua', import.meta.url);
const withdrawScript = new Script('withdraw.lua', import.meta.url);
const listAgentsScript = new Script('list-agents.lua', import.meta.url);

/** Workers announce every few seconds: after three missed times one no longer counts. */
const ALIVE_MS = 15_000;
export const announceEveryMs = 5_000;

/** Which agents there are: announced by the workers that can run them, read by the gateways. */
export class Registry {
  readonly #redis: RedisConnection;
  readonly #channels: Channels;
  readonly #keys: [agents: string, alive: string];
  readonly #channel: string;

  constructor(redis: RedisConnection, channels: Channels, prefix: string) {
    this.#redis = redis;
    this.#channels = channels;
    this.#keys = [`${prefix}{agents}:agents`, `${prefix}{agents}:alive`];
    this.#channel = `${prefix}{agents}:changed`;
  }

  /** Also the worker's sign of life: to be repeated every `announceEveryMs`. */
  async announce(agents: readonly AgentAnnouncement[], workerId: string): Promise<void> {
    const pairs = agents.flatMap((agent) => [agent.id, JSON.stringify(agent)]);
    await announceScript.run(this.#redis, this.#keys, [this.#channel, workerId, ALIVE_MS, ...pairs]);
  }

  /** The worker stops. Its agents stay announced: messages to them are accepted and wait. */
  async withdraw(agents: readonly AgentAnnouncement[], workerId: string): Promise<void> {
    const ids = agents.map(({ id }) => id);
    await withdrawScript.run(this.#redis, [this.#keys[1]], [this.#channel, workerId, ...ids]);
  }

  /** By id. */
  async list(): Promise<AnnouncedAgent[]> {
    const [entries, alive] = (await listAgentsScript.run(this.#redis, this.#keys, [])) as [string[], string[]];
    const announced: AnnouncedAgent[] = [];
    for (let i = 1; i < entries.length; i += 2) announced.push(announcedAgent(entries[i] ?? '', alive));
    return announced.sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** What is announced of one agent; undefined if nothing ever was. */
  async find(id: string): Promise<AgentAnnouncement | undefined> {
    const entry = await this.#redis.hget(this.#keys[0], id);
    return entry === null ? undefined : JSON.parse(entry.slice(entry.indexOf(' ') + 1));
  }

  /** Ids of all agents that were ever announced. */
  ids(): Promise<string[]> {
    return this.#redis.hkeys(this.#keys[0]);
  }

  /** @returns ends the subscription */
  async onChange(listener: () => void): Promise<() => void> {
    await this.#channels.subscribe(this.#channel, listener);
    return () => this.#channels.unsubscribe(this.#channel, listener);
  }
}

function announcedAgent(entry: string, alive: readonly string[]): AnnouncedAgent {
  const blank = entry.indexOf(' ');
  const announcement: AgentAnnouncement = JSON.parse(entry.slice(blank + 1));
  const workers = alive.filter((member) => member.startsWith(`${announcement.id}/`)).length;
  return { ...announcement, workers, updatedAt: new Date(Number(entry.slice(0, blank))).toISOString() };
}
