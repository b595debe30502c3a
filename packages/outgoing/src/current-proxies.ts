import { setGlobalProxyFromEnv } from 'node:http';
import { nodeProxies, noProxies, type ProxySettings } from './proxy-settings.ts';

/** On the global object, because an agent's folder may have a copy of this package of its own. */
const key = Symbol.for('switchyard.proxies');
const holder = globalThis as typeof globalThis & { [key]?: ProxySettings };
let restore: (() => void) | undefined;

/**
 * Sets the proxies of this process, from its first file. Every request goes through them: those of this package, and
 * those of Node's own `fetch` and `http`, which libraries and agents use.
 */
export function useProxies(proxies: ProxySettings): void {
  holder[key] = proxies;
  restore?.();
  restore = proxies.http || proxies.https ? setGlobalProxyFromEnv(nodeProxies(proxies)) : undefined;
}

export function currentProxies(): ProxySettings {
  return holder[key] ?? noProxies;
}
