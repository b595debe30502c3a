import { once } from 'node:events';
import { connect } from 'node:net';
import { type ProxySettings, proxyText, readProxies } from '@switchyard/outgoing/proxies';

/** The state of one proxy. */
export interface ProxyFinding {
  readonly verdict: 'ok' | 'problem';
  readonly text: string;
  readonly todo?: string;
}

const TIMEOUT_MS = 2_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Which requests of this environment go through which proxy, and whether the proxy is there. */
export async function checkProxies(environment: Environment): Promise<ProxyFinding[]> {
  try {
    const proxies = readProxies(environment);
    return await Promise.all(waysOf(proxies).map(([proxy, urls]) => checkProxy(proxy, urls)));
  } catch (error) {
    return [{ verdict: 'problem', text: error instanceof Error ? error.message : String(error) }];
  }
}

/** Each proxy with the URLs that it is used for. */
function waysOf({ http, https, directText }: ProxySettings): [URL, string][] {
  const except = `except loopback addresses${directText === '' ? '' : ` and ${directText}`}`;
  if (http && http.href === https?.href) return [[http, `all URLs, ${except}`]];
  const each: [URL | undefined, string][] = [
    [https, `https: URLs, ${except}`],
    [http, `http: URLs, ${except}`],
  ];
  return each.flatMap(([proxy, urls]) => (proxy ? [[proxy, urls]] : []));
}

async function checkProxy(proxy: URL, urls: string): Promise<ProxyFinding> {
  const port = Number(proxy.port || (proxy.protocol === 'https:' ? 443 : 80));
  const socket = connect({ host: proxy.hostname.replace(/^\[|\]$/g, ''), port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { verdict: 'ok', text: `The proxy ${proxyText(proxy)} is used for ${urls}` };
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : 'no answer';
    return {
      verdict: 'problem',
      text: `The proxy ${proxyText(proxy)}, for ${urls}, cannot be reached: ${reason}`,
      todo: 'Correct HTTPS_PROXY or HTTP_PROXY, or list the hosts that need no proxy in NO_PROXY.',
    };
  } finally {
    socket.destroy();
  }
}
