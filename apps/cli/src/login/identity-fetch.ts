import { ResponseBodyError, WWWAuthenticateChallengeError } from 'oauth4webapi';
import { z } from 'zod';
import { CommandFailure } from '../failures/failure.ts';
import { proxyFailure } from '../failures/network-failure.ts';
import { isLoopbackUrl } from '../settings/this-machine.ts';

/** Longest wait for an answer of an identity server, in milliseconds. */
const timeoutMs = 10_000;
const maxBytes = 256 * 1024;
/** Longest part of an answer that is repeated. */
const maxWords = 200;

interface IdentityRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** Requests to identity servers: with TLS, without redirects, and bounded in bytes and time. */
export type IdentityFetch = (url: string, request?: IdentityRequest) => Promise<Response>;

/** @param signal of the command: a timeout, or Ctrl-C */
export function identityFetch(signal: AbortSignal): IdentityFetch {
  return async (text, { method = 'GET', headers = {}, body } = {}) => {
    const url = endpointOf(text);
    const init = { method, headers, redirect: 'manual', signal: within(signal) } as const;
    try {
      const response = await fetch(url, body === undefined ? init : { ...init, body: String(body) });
      const answer = await boundedText(response, url);
      return new Response(answer === '' ? null : withoutIdToken(answer), {
        status: response.status,
        headers: response.headers,
      });
    } catch (error) {
      throw unanswered(url, error, signal);
    }
  };
}

/** The URL of an endpoint. @throws {CommandFailure} no TLS, unless it is on this machine */
export function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackUrl(text))) return url;
  throw new CommandFailure('A2ACLI_ERR_CARD_INVALID', `The identity server’s address ${text} must begin with https://`);
}

function within(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
}

async function boundedText(response: Response, { origin, pathname }: URL): Promise<string> {
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel();
    throw new CommandFailure(
      'A2ACLI_ERR_UNREACHABLE',
      `${origin}${pathname} redirects, which its clients must not follow`,
    );
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new CommandFailure(
        'A2ACLI_ERR_UNREACHABLE',
        `${origin}${pathname} answered with more than ${maxBytes} bytes`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** An ID token says who the user is, which nobody reads here: it need not be verified. */
function withoutIdToken(text: string): string {
  const { data } = answerSchema.safeParse(text);
  if (data?.id_token === undefined) return text;
  const { id_token: _, ...answer } = data;
  return JSON.stringify(answer);
}

const answerSchema = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue('is not JSON');
      return z.NEVER;
    }
  })
  .pipe(z.looseObject({ id_token: z.unknown() }));

function unanswered(url: URL, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof CommandFailure) return signal.aborted ? signal.reason : error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  const reason = isLate ? `nothing for ${timeoutMs / 1_000} s` : cause instanceof Error ? cause.message : cause;
  return (
    proxyFailure(error, url) ??
    new CommandFailure('A2ACLI_ERR_UNREACHABLE', `No answer from the identity server ${url.origin}: ${reason}`, {
      cause: error,
    })
  );
}

/** An error of OAuth 2.0 (RFC 6749 5.2). */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly description: string | undefined;
}

const refusalSchema = z.object({ error: z.string(), error_description: z.string().optional() });

/** What the endpoint said. Undefined: something else went wrong. */
export async function refusalIn(thrown: unknown): Promise<Refusal | undefined> {
  if (thrown instanceof ResponseBodyError)
    return { status: thrown.status, code: thrown.error, description: thrown.error_description };
  if (!(thrown instanceof WWWAuthenticateChallengeError)) return undefined;
  const body = refusalSchema.safeParse(await thrown.response.json().catch(() => undefined)).data;
  return { status: thrown.status, code: body?.error ?? 'no token', description: body?.error_description };
}

/** A failure that says what the endpoint answered. */
export async function endpointFailure(thrown: unknown, endpoint: string): Promise<CommandFailure> {
  if (thrown instanceof CommandFailure) return thrown;
  const { origin, pathname } = new URL(endpoint);
  const where = `The identity server’s endpoint ${origin}${pathname}`;
  const refusal = await refusalIn(thrown);
  if (refusal) {
    const { status, code, description } = refusal;
    return new CommandFailure('A2ACLI_ERR_AUTH_FAILED', `${where} answered ${status} ${said(code, description)}`, {
      a2aCode: status,
      hint: hints[code],
      cause: thrown,
    });
  }
  const { cause, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  const reason = cause instanceof Response ? `it answered ${cause.status}` : said(message, undefined);
  return new CommandFailure('A2ACLI_ERR_AUTH_FAILED', `${where} gave no answer of OAuth 2.0: ${reason}`, {
    cause: thrown,
  });
}

const hints: Readonly<Record<string, string>> = {
  invalid_client: 'Check --client-id: the identity server does not know it, or wants a secret with it.',
  unauthorized_client: 'The client may not log in this way: another --client-id, or the other --flow.',
  invalid_scope: 'Check --scope.',
};

/** What a server said, bounded and on one line. */
export function said(code: string, description: string | undefined): string {
  return (description ? `${code}: ${description}` : code).replaceAll(/\p{Cc}+/gu, ' ').slice(0, maxWords);
}
