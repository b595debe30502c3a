import { RedisUnusable } from './errors.ts';

/** How Redis is reached. */
export interface RedisAccess {
  /** `redis://…`, `rediss://…`, `redis+sentinel://…` or `redis+cluster://…`: see `parseRedisAddress`. */
  readonly redisUrl: string;
  /** Overrides the password in `redisUrl`. */
  readonly redisPassword?: string;
  /** CA certificates for a `rediss://` server, in PEM, instead of those that Node trusts. */
  readonly redisCa?: string;
}

export interface RedisAddress {
  readonly kind: 'single' | 'sentinel' | 'cluster';
  readonly nodes: readonly { readonly host: string; readonly port: number }[];
  /** Name of the master that the sentinels watch. */
  readonly master: string;
  readonly database: number;
  readonly username?: string;
  readonly password?: string;
  readonly tls?: { readonly ca?: string };
}

const KINDS = { redis: 'single', 'redis+sentinel': 'sentinel', 'redis+cluster': 'cluster' } as const;
const FORM = /^(redis|rediss)(\+sentinel|\+cluster)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?#]+)(?:\/([^?#]*))?$/;

/**
 * - `redis://[user:password@]host[:port][/database]`, `rediss://…` with TLS
 * - `redis+sentinel://[user:password@]host:port,host:port,…/master-name` the hosts are the sentinels
 * - `redis+cluster://[user:password@]host:port,host:port,…` some of the nodes; the others are found
 * @throws {RedisUnusable}
 */
export function parseRedisAddress(url: string): RedisAddress {
  const [, scheme = '', suffix = '', username = '', password = '', hosts = '', path = ''] = FORM.exec(url) ?? [];
  const kind = KINDS[`redis${suffix}` as keyof typeof KINDS];
  const nodes = hosts.split(',').map((host) => node(host, kind === 'sentinel' ? 26_379 : 6_379));
  if (!scheme || nodes.some(({ host, port }) => !host || !(port > 0 && port < 65_536))) throw unusable(url);
  if (kind === 'sentinel' && !path)
    throw new RedisUnusable(
      'A Sentinel address ends with the name of the master, as in redis+sentinel://host:26379/mymaster',
    );
  if (kind === 'single' && !/^\d*$/.test(path)) throw unusable(url);
  return {
    kind,
    nodes,
    master: kind === 'sentinel' ? path : '',
    database: kind === 'single' ? Number(path) : 0,
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(scheme === 'rediss' && { tls: {} }),
  };
}

function node(text: string, defaultPort: number): { host: string; port: number } {
  const [, host = '', port] = /^(\[[^\]]+\]|[^:]+)(?::(\d+))?$/.exec(text) ?? [];
  return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? defaultPort : Number(port) };
}

function unusable(url: string): RedisUnusable {
  return new RedisUnusable(
    `This is no address of a Redis: ${withoutPassword(url)}. ` +
      'Write redis://host:6379, redis+sentinel://… or redis+cluster://…',
  );
}

/** A password that is not escaped may contain any character: everything before the last @ is left out. */
function withoutPassword(url: string): string {
  const [scheme = ''] = /^[a-z+]*:\/\//.exec(url) ?? [];
  return url.includes('@') ? `${scheme}…@${url.slice(url.lastIndexOf('@') + 1)}` : url;
}
