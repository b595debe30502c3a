import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AddressPolicy, guardedClient } from '@switchyard/outgoing';
import express, { type RequestHandler } from 'express';
import { z } from 'zod';
import { discover } from '../auth/issuer.ts';
import { respond } from '../exchange/exchange.ts';
import type { OidcSettings } from '../settings/gateway-settings.ts';

/** Location of the console's build, in its own package. */
const builtConsole = fileURLToPath(new URL('dist', import.meta.resolve('@switchyard/console/package.json')));

/**
 * Content security policy: no foreign resources, no inline scripts or styles, no framing; connections to the token
 * endpoint.
 */
const contentSecurityPolicy = (issuer: Endpoints | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    ["connect-src 'self'", issuer && new URL(issuer.tokenEndpoint).origin].filter(Boolean).join(' '),
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

export interface ConsoleOptions {
  readonly folder?: string;
  readonly oidc?: OidcSettings | undefined;
}

/** The console. Its files need no key, its API requests do. (Untyped: Express' types are not published.) */
export function serveConsole({ folder = builtConsole, oidc }: ConsoleOptions = {}): RequestListener {
  const app = express().disable('x-powered-by').disable('etag');
  const issuer = oidc && new IssuerEndpoints(oidc.issuer);
  app.use(async (_req, res, next) => {
    res.setHeader('Content-Security-Policy', contentSecurityPolicy(await issuer?.read()));
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.setHeader('Referrer-Policy', 'no-referrer');
    next();
  });
  // Their names change with their contents.
  const assets = express.static(join(folder, 'assets'), { immutable: true, maxAge: '1y', index: false });
  app.use('/assets', assets, (_req, res) => {
    res.statusCode = 404;
    respond(res, 'text/plain; charset=utf-8', 'There is no such file\n');
  });
  app.get('/look-again.js', (_req, res) => respond(res, 'text/javascript; charset=utf-8', lookAgain));
  app.get('/sign-in.json', async (_req, res) => {
    const endpoints = await issuer?.read();
    res.setHeader('Cache-Control', 'no-store');
    respond(res, 'application/json', JSON.stringify({ oidc: oidc && { ...oidc, endpoints } }));
  });
  app.get('/{*page}', servePage(join(folder, 'index.html')));
  return app;
}

/** Every path of the console serves the same page. */
function servePage(file: string): RequestHandler {
  return async (_req, res) => {
    res.setHeader('Cache-Control', 'no-store');
    const page = await readFile(file, 'utf8').catch(ifMissing);
    if (page !== undefined) return respond(res, 'text/html; charset=utf-8', page);
    res.statusCode = 503;
    respond(res, 'text/html; charset=utf-8', notBuilt);
  };
}

/**
 * `npm start` builds the console within seconds; until then the page reloads. (A `refresh` would lose the key after #.)
 */
const notBuilt = `<!doctype html>
<title>Switchyard</title>
<p>The console is not built yet. This page waits for it; without npm start, run: node scripts/console/build.ts</p>
<script src="/console/look-again.js"></script>
`;
const lookAgain = 'setTimeout(() => location.reload(), 1000);\n';

function ifMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
  throw error;
}

const MAX_AGE_MS = 10 * 60_000;
/** An unreachable issuer costs one request in this time. */
const RETRY_AFTER_MS = 10_000;
const TIMEOUT_MS = 3_000;
const MAX_BYTES = 1024 * 1024;

const url = z.url({ protocol: /^https?$/ });
const metadataSchema = z.object({ authorization_endpoint: url, token_endpoint: url });

/** The issuer's pages for signing in, and its token endpoint. */
interface Endpoints {
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
}

/** The endpoints of an issuer (OpenID Connect Discovery). */
class IssuerEndpoints {
  readonly #issuer: string;
  #reading: Promise<Endpoints | undefined> | undefined;
  #readAgainAt = 0;

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  /** Undefined: the issuer cannot be read now. */
  read(): Promise<Endpoints | undefined> {
    const now = performance.now();
    if (this.#reading && now < this.#readAgainAt) return this.#reading;
    this.#readAgainAt = now + MAX_AGE_MS;
    this.#reading = this.#discover().catch(() => {
      this.#readAgainAt = performance.now() + RETRY_AFTER_MS;
      return undefined;
    });
    return this.#reading;
  }

  async #discover(): Promise<Endpoints> {
    const trustedOrigins = [new URL(this.#issuer).origin];
    const policy = new AddressPolicy({ allowHttp: false, allowHosts: [], trustedOrigins });
    const client = guardedClient({ policy, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES });
    try {
      const found = metadataSchema.parse(await discover(client, this.#issuer));
      return { authorizationEndpoint: found.authorization_endpoint, tokenEndpoint: found.token_endpoint };
    } finally {
      await client.destroy();
    }
  }
}
