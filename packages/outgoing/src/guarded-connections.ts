import { lookup } from 'node:dns/promises';
import { isIP, type Socket } from 'node:net';
import { Agent, buildConnector } from 'undici';
import type { AddressPolicy } from './address-policy.ts';
import { AddressRefused } from './errors.ts';

/** Looks up all IP addresses of a host. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface ConnectionOptions {
  readonly policy: Pick<AddressPolicy, 'allows'>;
  /** Limit for connecting, for the wait for response headers, and between two chunks of a body, in milliseconds. */
  readonly timeoutMs: number;
  /** The same, where a whole response may take longer. Default: `timeoutMs`. */
  readonly idleMs?: number;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve;
}

/** How long an idle connection stays open for the next request. */
const KEEP_ALIVE_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * HTTP connections only to addresses that the policy allows. The host is looked up once, all of its addresses are
 * checked, and the connection is made to one of these addresses: a second lookup could return others (DNS rebinding).
 * The Host header and TLS still use the name.
 */
export function guardedConnections(options: ConnectionOptions): Agent {
  const { policy, timeoutMs, idleMs = timeoutMs, resolve = systemResolve } = options;
  const dial = dialer(idleMs);

  async function connect(options: buildConnector.Options): Promise<Socket> {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    const { origin } = new URL(`${options.protocol}//${options.host ?? options.hostname}`);
    const allows = (address: string): boolean => policy.allows(host, address, origin);
    const addresses = isIP(host) ? [host] : await resolve(host);
    if (!addresses.length || !addresses.every(allows)) throw refused(host);
    const socket = await dialFirst(dial, options, addresses);
    if (allows(socket.remoteAddress ?? '')) return socket;
    socket.destroy();
    throw refused(host);
  }

  return new Agent({
    ...connectionLimits(options),
    connect: (given, callback) => {
      connect(given).then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      );
    },
  });
}

/** Limits of connections, to a server and to a proxy. */
export function connectionLimits({ timeoutMs, idleMs = timeoutMs }: Pick<ConnectionOptions, 'timeoutMs' | 'idleMs'>) {
  return {
    allowH2: false,
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  };
}

export const systemResolve: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

export const refused = (host: string): AddressRefused =>
  new AddressRefused(`${host} is at an address that may not be called`);

type Dial = (options: buildConnector.Options) => Promise<Socket>;

function dialer(timeoutMs: number): Dial {
  const connector = buildConnector({ allowH2: false, timeout: timeoutMs });
  return (options) =>
    new Promise((resolve, reject) => {
      connector(options, (error, socket) => (socket ? resolve(socket) : reject(error)));
    });
}

/** Tries the addresses in turn: some may be unreachable from here. */
async function dialFirst(dial: Dial, options: buildConnector.Options, addresses: readonly string[]): Promise<Socket> {
  let failure: unknown;
  for (const hostname of addresses) {
    try {
      return await dial({ ...options, hostname });
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
