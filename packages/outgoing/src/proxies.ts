// Which proxy is used for which URL, without the HTTP client: the command line starts faster.
export { currentProxies, useProxies } from './current-proxies.ts';
export { ProxyError, proxyErrorOf } from './proxy-error.ts';
export { nodeProxies, type ProxySettings, proxyFor, proxyText, readProxies } from './proxy-settings.ts';
