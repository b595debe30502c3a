import { BlockList, isIP, isIPv4 } from 'node:net';
import { publicIpv6Networks, specialNetworks } from './special-addresses.ts';

export interface AddressPolicySettings {
  /** Also allow http://, which is not encrypted. */
  readonly allowHttp: boolean;
  /** Hosts (`hooks.internal`, `*.internal`), addresses and networks (`10.1.0.0/16`) to allow although not public. */
  readonly allowHosts: readonly string[];
  /** Origins (`http://agent:8080`) to allow at any address, because the operator configured them. */
  readonly trustedOrigins?: readonly string[];
}

/**
 * Decides which addresses may be called: the public internet over https, and what the settings add. This keeps clients
 * from reaching private networks through this deployment (server-side request forgery, A2A 13.2). Connections are
 * checked by their resolved address, because a public name may resolve to a private one.
 */
export class AddressPolicy {
  readonly #allowHttp: boolean;
  readonly #hosts: readonly string[];
  readonly #networks = new BlockList();
  readonly #origins: ReadonlySet<string>;

  /** @throws {RangeError} an entry of `allowHosts` is not valid */
  constructor({ allowHttp, allowHosts, trustedOrigins = [] }: AddressPolicySettings) {
    this.#allowHttp = allowHttp;
    this.#origins = new Set(trustedOrigins);
    const isNetwork = (entry: string): boolean => /^[\d.]+$|[:/]/.test(entry);
    this.#hosts = allowHosts.filter((entry) => !isNetwork(entry)).map(plainName);
    for (const entry of allowHosts.filter(isNetwork)) allowNetwork(this.#networks, entry);
  }

  /** Checks a URL before it is called. @returns the problem, to follow "the URL"; undefined: none */
  problemOf(url: string): string | undefined {
    if (!URL.canParse(url)) return 'must be an absolute URL';
    const { protocol, username, password, hostname, origin } = new URL(url);
    if (username || password) return 'must not contain a user name or password: use authentication';
    if (this.#origins.has(origin)) return undefined;
    if (protocol !== 'https:' && !(protocol === 'http:' && this.#allowHttp)) return 'must begin with https://';
    const host = plainName(hostname);
    const address = isIP(host) ? host : isLocalhost(host) ? '127.0.0.1' : undefined;
    if (address !== undefined && !this.allows(host, address)) return 'must not be an address of a private network';
    return undefined;
  }

  /** Whether `host` may be called at its resolved `address`. @param origin the origin of the request */
  allows(host: string, address: string, origin?: string): boolean {
    if (isIP(address) && origin !== undefined && this.#origins.has(origin)) return true;
    if (!isIP(address) || address.includes('%')) return false; // an address with a zone is link-local
    if (this.#allowsName(plainName(host))) return true;
    const type = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (this.#networks.check(address, type)) return true;
    return !specialNetworks.check(address, type) && (type === 'ipv4' || publicIpv6Networks.check(address, type));
  }

  #allowsName(host: string): boolean {
    return this.#hosts.some((entry) => (entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry));
  }
}

/** The name for comparisons: without the brackets of IPv6, and without the final dot of a full name. */
function plainName(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

/** `localhost` and its subdomains are never looked up (RFC 6761). */
function isLocalhost(host: string): boolean {
  return /(?:^|\.)localhost$/.test(host);
}

function allowNetwork(networks: BlockList, entry: string): void {
  const [address = '', bits] = entry.split('/');
  const type = isIPv4(address) ? 'ipv4' : 'ipv6';
  const maxBits = type === 'ipv4' ? 32 : 128;
  const length = bits === undefined ? maxBits : Number(bits);
  if (!isIP(address) || !(Number.isInteger(length) && length >= 0 && length <= maxBits))
    throw new RangeError(`"${entry}" is not a host, an address, or a network such as 10.1.0.0/16.`);
  networks.addSubnet(address, length, type);
}
