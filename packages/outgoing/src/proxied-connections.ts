import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ProxyAgent } from 'undici';
import { type ConnectionOptions, connectionLimits, refused, systemResolve } from './guarded-connections.ts';

/** Where only the proxy resolves names, a look-up fails, perhaps only after many seconds. */
const LOOKUP_MS = 2_000;
/** A name that nobody here knows is not looked up again for this long. */
const UNKNOWN_MS = 60_000;
const MAX_UNKNOWN = 1_000;

/**
 * Connections through proxies. The proxy resolves names, so the policy sees an address only if the name is known here,
 * too: a private address, and a name that resolves to one, are refused before the proxy hears of them.
 */
export class ProxiedConnections {
  readonly #options: ConnectionOptions;
  readonly #agents = new Map<string, ProxyAgent>();
  /** Names that nobody here knows, and until when that is believed. */
  readonly #unknown = new Map<string, number>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** The connections for a URL. @throws {AddressRefused} */
  async to({ hostname, origin }: URL, proxy: URL): Promise<ProxyAgent> {
    const host = hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) ? [host] : await this.#addressesOf(host);
    if (!addresses.every((address) => this.#options.policy.allows(host, address, origin))) throw refused(host);
    const agent =
      this.#agents.get(proxy.href) ?? new ProxyAgent({ uri: proxy.href, ...connectionLimits(this.#options) });
    this.#agents.set(proxy.href, agent);
    return agent;
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()));
  }

  /** Empty: the name is not known here. */
  async #addressesOf(host: string): Promise<readonly string[]> {
    if ((this.#unknown.get(host) ?? 0) > performance.now()) return [];
    const { resolve = systemResolve } = this.#options;
    const limit = new AbortController();
    const late = delay(LOOKUP_MS, [], { signal: limit.signal, ref: false }).catch(() => []);
    const addresses = await Promise.race([resolve(host).catch(() => []), late]);
    limit.abort();
    if (addresses.length > 0) return addresses;
    if (this.#unknown.size >= MAX_UNKNOWN) this.#unknown.clear();
    this.#unknown.set(host, performance.now() + UNKNOWN_MS);
    return [];
  }
}
