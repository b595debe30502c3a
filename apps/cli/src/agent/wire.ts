import { CommandFailure } from '../failures/failure.ts';
import { networkReason, proxyFailure } from '../failures/network-failure.ts';
import { isLoopbackUrl } from '../settings/this-machine.ts';
import { understood } from './odd-answers.ts';
import { fetchWithinOrigin } from './redirects.ts';

/** Replaces credentials in the log. */
const REDACTED = '[hidden]';
/** Headers that are logged, of requests and responses: others may be credentials, or are irrelevant. */
const openHeaders = ['accept', 'content-type', 'a2a-version', 'a2a-extensions'];
const openAnswerHeaders = ['content-type', 'www-authenticate', 'retry-after'];

/** The largest answer that is read as a whole: the gateway takes messages of 5 MiB, and a task has several. */
export const MAX_ANSWER_BYTES = 64 * 2 ** 20;

export interface Wire {
  /** Texts that are never logged. */
  readonly secrets: readonly string[];
  /** Undefined: nothing is logged. */
  readonly log?: ((line: string) => void) | undefined;
  readonly hasCredentials: boolean;
  /** Additional query of the URL: a credential that the card requires there. */
  readonly query?: Readonly<Record<string, string>>;
  /** The answer is a file, which its reader bounds. */
  readonly isFile?: boolean;
}

/** `fetch` with the log of `--debug`; an unreachable agent, and missing credentials, are failures. */
export function wireFetch({ secrets, log, hasCredentials, query = {}, isFile = false }: Wire): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const redact = (text: string): string => redacted(text, secrets);
    const begun = performance.now();
    log?.(redact(`→ ${init?.method ?? 'GET'} ${url} ${headerText(new Headers(init?.headers))}`));
    if (typeof init?.body === 'string') log?.(redact(`→ ${init.body}`));
    const received = await fetchWithinOrigin(url, { ...init, hasCredentials: secrets.length > 0 }).catch(
      (error: unknown) => {
        throw error instanceof CommandFailure ? error : unreached(url, error, init?.signal);
      },
    );
    const response = isReadAsItComes(received, isFile, init) ? received : limitAnswer(received, url);
    log?.(
      redact(`← ${response.status} after ${Math.round(performance.now() - begun)} ms ${answerText(response.headers)}`),
    );
    if (response.status === 401 || response.status === 403) throw await refused(response, hasCredentials);
    const answer = await understood(response, init);
    return log ? logged(answer, (text) => log(redact(`← ${text}`))) : answer;
  };
}

function isReadAsItComes({ ok, headers }: Response, isFile: boolean, init: RequestInit = {}): boolean {
  const [asked, got] = [new Headers(init.headers).get('accept'), headers.get('content-type')];
  return ok && (isFile || [asked, got].every((types) => types?.includes('text/event-stream')));
}

/** The same response, whose body fails when it is too large: it is read into memory. */
function limitAnswer(response: Response, { origin }: URL): Response {
  if (!response.body) return response;
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= MAX_ANSWER_BYTES) return controller.enqueue(chunk);
      const text = `The answer of ${origin} is larger than ${MAX_ANSWER_BYTES / 2 ** 20} MiB`;
      controller.error(new CommandFailure('InvalidAgentResponseError', text));
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(count), { status, statusText, headers });
}

/** Replaces each of these texts in another text, also as URLs and JSON have it. */
export function redacted(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [secret, inQuery(secret), encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    .reduce((left, secret) => left.replaceAll(secret, REDACTED), text);
}

const inQuery = (text: string): string => new URLSearchParams([['', text]]).toString().slice(1);

function headerText(headers: Headers): string {
  return [...headers].map(([name, value]) => `${name}=${openHeaders.includes(name) ? value : REDACTED}`).join(' ');
}

function answerText(headers: Headers): string {
  return openAnswerHeaders.flatMap((name) => headers.get(name) ?? []).join(' ');
}

function unreached(url: URL, error: unknown, signal?: AbortSignal | null): Error {
  if (signal?.aborted) return signal.reason instanceof Error ? signal.reason : new Error('stopped');
  const failure = proxyFailure(error, url);
  if (failure) return failure;
  return new CommandFailure('A2ACLI_ERR_UNREACHABLE', `No answer from ${url.origin}: ${networkReason(error)}`, {
    hint: isLoopbackUrl(url.origin)
      ? 'Is the agent running, for example with switchyard up in this folder? Is --agent-card its address?'
      : 'Is the agent running, and is --agent-card its address?',
    cause: error,
  });
}

async function refused(response: Response, hasCredentials: boolean): Promise<CommandFailure> {
  const words = messageIn(await response.text());
  const details = { a2aCode: response.status };
  const text = `The agent refused the call (HTTP ${response.status})${words ? `: ${words}` : ''}`;
  return hasCredentials
    ? new CommandFailure('A2ACLI_ERR_AUTH_FAILED', text, details)
    : new CommandFailure('A2ACLI_ERR_CREDENTIALS_MISSING', text, details);
}

/** The message of a JSON-RPC or HTTP+JSON error. */
function messageIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text);
    return typeof error?.message === 'string' ? error.message : undefined;
  } catch {
    return undefined;
  }
}

/** The same response, with its body logged as it is read. */
function logged(response: Response, log: (text: string) => void): Response {
  if (!response.body) return response;
  const decoder = new TextDecoder();
  const tap = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      log(decoder.decode(chunk, { stream: true }).trimEnd());
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(tap), { status, statusText, headers });
}
