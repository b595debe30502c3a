import { BlockList, isIP } from 'node:net';

/** The proxies for requests to other systems, as HTTPS_PROXY, HTTP_PROXY and NO_PROXY have them. */
export interface ProxySettings {
  /** For `https:` URLs. */
  readonly https: URL | undefined;
  /** For `http:` URLs. */
  readonly http: URL | undefined;
  /** Hosts that are called directly. */
  readonly direct: readonly DirectHost[];
  /** NO_PROXY as it is. */
  readonly directText: string;
}

interface DirectHost {
  /** `*` is every host. */
  readonly host: string;
  /** Undefined: every port. */
  readonly port: number | undefined;
  /** `10.0.0.0/8`, which has only hosts that are addresses. */
  readonly network: BlockList | undefined;
  /** `*.example.com` has only the subdomains, `example.com` and `.example.com` also the domain itself. */
  readonly isWildcard: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const noProxies: ProxySettings = { https: undefined, http: undefined, direct: [], directText: '' };

/**
 * Reads the variables, of which the lower-case names count first, by the rules of undici and Node: without HTTPS_PROXY, HTTP_PROXY is also for `https:`.
 * @throws {RangeError} an address cannot be used; the message does not repeat it, as it may have a password
 */
export function readProxies(environment: Environment): ProxySettings {
  const http = proxyIn('HTTP_PROXY', environment);
  const https = proxyIn('HTTPS_PROXY', environment) ?? http;
  const directText = textOf('NO_PROXY', environment);
  return { http, https, direct: directHosts(directText), directText };
}

/**
 * The proxy for a URL. Undefined: it is called directly, as is every loopback address: no proxy can reach it for us.
 */
export function proxyFor(url: URL, { https, http, direct }: ProxySettings): URL | undefined {
  const proxy = url.protocol === 'https:' ? https : http;
  const host = plainHost(url.hostname);
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  if (!proxy || isLoopback(host) || direct.some((entry) => isMeant(entry, { host, port }))) return undefined;
  return proxy;
}

/** A proxy without its user name and password, for people. */
export function proxyText({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}

/** The variables for Node's own clients, which would also send loopback addresses to the proxy. Empty: no proxy. */
export function nodeProxies({ http, https, directText }: ProxySettings): Record<string, string> {
  if (!http && !https) return {};
  const direct = [directText, 'localhost', '127.0.0.1', '[::1]', '::1'].filter((text) => text !== '').join(',');
  return { ...(http && { http_proxy: http.href }), ...(https && { https_proxy: https.href }), no_proxy: direct };
}

function textOf(name: string, environment: Environment): string {
  return environment[name.toLowerCase()] || environment[name] || '';
}

function proxyIn(name: string, environment: Environment): URL | undefined {
  const text = textOf(name, environment).trim();
  if (text === '') return undefined;
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.hostname !== '') return url;
  throw new RangeError(`${name} must be the address of an HTTP proxy, such as http://proxy.example.com:3128`);
}

function directHosts(text: string): DirectHost[] {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  return entries.map((entry) => {
    const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(entry) ?? [];
    const name = (bracketed ?? plain ?? entry).toLowerCase();
    return {
      host: plainHost(name.replace(/^\*?\./, '')),
      port: digits === undefined ? undefined : Number(digits),
      network: networkOf(entry),
      isWildcard: name.startsWith('*.'),
    };
  });
}

/** Undefined: it is no network. */
function networkOf(entry: string): BlockList | undefined {
  const [, address = '', bits] = /^([\da-f.:]+)\/(\d{1,3})$/i.exec(entry) ?? [];
  const version = isIP(address);
  if (version === 0 || Number(bits) > (version === 4 ? 32 : 128)) return undefined;
  const network = new BlockList();
  network.addSubnet(address, Number(bits), version === 4 ? 'ipv4' : 'ipv6');
  return network;
}

interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

function isMeant(entry: DirectHost, { host, port }: HostAndPort): boolean {
  if (entry.port !== undefined && entry.port !== port) return false;
  const version = isIP(host);
  if (entry.network) return version !== 0 && entry.network.check(host, version === 4 ? 'ipv4' : 'ipv6');
  return entry.host === '*' || (host === entry.host && !entry.isWildcard) || host.endsWith(`.${entry.host}`);
}

function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '::1' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}

function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
}
