import { BlockList, isIP, isIPv4 } from 'node:net';
import { publicIpv6Networks, specialNetworks } from './special-addresses.ts';

export interface AddressPolicySettings {
  /** Also http://, which everyone on the way can read. */
  readonly allowHttp: boolean;
  /**
   * Hosts (`hooks.internal`, `*.internal`), addresses and networks (`10.1.0.0/16`) that may be called although they are
   * not public.
   */
  readonly allowHosts: readonly string[];
  /**
   * Origins (`http://agent:8080`) that may be called wherever they are: those that the operator wrote down, rather than
   * somebody else.
   */
  readonly trustedOrigins?: readonly string[];
}

/**
 * The addresses that may be called, so that nobody outside reaches through this deployment what only it can reach (A2A
 * 13.2): the public internet over https, and what the settings add. Checked on the resolved address of the connection,
 * as a name proves nothing.
 */
export class AddressPolicy {
  readonly #allowHttp: boolean;
  readonly #hosts: readonly string[];
  readonly #networks = new BlockList();
  readonly #origins: ReadonlySet<string>;

  /** @throws {RangeError} an entry of `allowHosts` is none */
  constructor({ allowHttp, allowHosts, trustedOrigins = [] }: AddressPolicySettings) {
    this.#allowHttp = allowHttp;
    this.#origins = new Set(trustedOrigins);
    const isNetwork = (entry: string): boolean => /^[\d.]+$|[:/]/.test(entry);
    this.#hosts = allowHosts.filter((entry) => !isNetwork(entry)).map(plainName);
    for (const entry of allowHosts.filter(isNetwork)) allowNetwork(this.#networks, entry);
  }

  /** What can be said against a URL before it is called, in words that follow its name; undefined: nothing. */
  problemOf(url: string): string | undefined {
    if (!URL.canParse(url)) return 'must be an absolute URL';
    const { protocol, username, password, hostname, origin } = new URL(url);
    if (username || password) return 'must hold no user name and no password: use authentication';
    if (this.#origins.has(origin)) return undefined;
    if (protocol !== 'https:' && !(protocol === 'http:' && this.#allowHttp)) return 'must begin with https://';
    const host = plainName(hostname);
    const address = isIP(host) ? host : isLocalhost(host) ? '127.0.0.1' : undefined;
    if (address !== undefined && !this.allows(host, address)) return 'must not be an address of a private network';
    return undefined;
  }

  /** Whether `host` may be called now that it has turned out to be at `address`. @param origin that is called there */
  allows(host: string, address: string, origin?: string): boolean {
    if (isIP(address) && origin !== undefined && this.#origins.has(origin)) return true;
    if (!isIP(address) || address.includes('%')) return false; // a zone is of this machine
    if (this.#allowsName(plainName(host))) return true;
    const type = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (this.#networks.check(address, type)) return true;
    return !specialNetworks.check(address, type) && (type === 'ipv4' || publicIpv6Networks.check(address, type));
  }

  #allowsName(host: string): boolean {
    return this.#hosts.some((entry) => (entry.startsWith('*.') ? host.endsWith(entry.slice(1)) : host === entry));
  }
}

/** As it is compared: without the brackets of IPv6, and without the dot that ends a full name. */
function plainName(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}

/** A name that is never looked up (RFC 6761). */
function isLocalhost(host: string): boolean {
  return /(?:^|\.)localhost$/.test(host);
}

function allowNetwork(networks: BlockList, entry: string): void {
  const [address = '', bits] = entry.split('/');
  const type = isIPv4(address) ? 'ipv4' : 'ipv6';
  const most = type === 'ipv4' ? 32 : 128;
  const length = bits === undefined ? most : Number(bits);
  if (!isIP(address) || !(Number.isInteger(length) && length >= 0 && length <= most))
    throw new RangeError(`"${entry}" is neither a host nor an address nor a network such as 10.1.0.0/16.`);
  networks.addSubnet(address, length, type);
}
