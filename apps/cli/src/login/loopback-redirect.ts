import { createServer, type Server } from 'node:http';

/** Longest wait for a person. */
const maxWaitMs = 600_000;
const path = '/callback';

/** Listens on a free port of 127.0.0.1. @returns the port */
export type Listen = (server: Server) => Promise<number>;

/** The end of a login in a browser on this machine (RFC 8252 7.3). */
export interface LoopbackRedirect extends AsyncDisposable {
  readonly url: string;
  /** The browser's answer with this state; others are refused. Undefined: nobody came in time. */
  readonly answer: (state: string, signal: AbortSignal) => Promise<URLSearchParams | undefined>;
}

export async function openRedirect(listen: Listen): Promise<LoopbackRedirect> {
  let accept: (query: URLSearchParams) => (() => void) | undefined = () => undefined;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    const take = request.method === 'GET' && url.pathname === path ? accept(url.searchParams) : undefined;
    response.writeHead(take ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(take ? 'Go back to your terminal. You can close this page.\n' : 'There is no login here.\n', take);
  });
  const url = `http://127.0.0.1:${await listen(server)}${path}`;
  return {
    url,
    answer: (state, signal) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => resolve(undefined), maxWaitMs);
        const stop = (): void => {
          clearTimeout(timer);
          reject(signal.reason);
        };
        accept = (query) => {
          if (query.get('state') !== state) return undefined;
          return () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', stop);
            resolve(query);
          };
        };
        signal.addEventListener('abort', stop, { once: true });
        if (signal.aborted) stop();
      }),
    async [Symbol.asyncDispose]() {
      // The browser has its page. Browsers also open connections that they do not use.
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
