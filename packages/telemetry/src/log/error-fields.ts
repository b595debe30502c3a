import { LRUCache } from 'lru-cache';

/** The fields of an error that may be logged. */
export interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: string | number;
  readonly cause?: ErrorFields | string;
}

/**
 * An error as fields of a log line. No others: ioredis puts the command on its errors, with passwords and messages of
 * clients.
 */
export function errorFields(error: unknown): ErrorFields | string {
  if (!(error instanceof Error)) return safeText(String(error));
  const { name, message, stack, cause } = error;
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') && error.code;
  return {
    type: name,
    message: safeText(message),
    stack: stack && framesOf(stack, message),
    ...(code !== false && { code }),
    ...(cause !== undefined && { cause: errorFields(cause) }),
  };
}

/** Longest message: what is further behind is, as a rule, what somebody sent. */
const LONGEST = 200;
/** The arguments that Redis repeats in its error for an unknown command. */
const REPEATED_ARGUMENTS = /with args beginning with:[^\n]*/g;
/** Of an address, all behind its host but the sentence's punctuation, and the name and password before the host. */
const ADDRESS = /\b([a-z]+:\/\/)(?:[^\s/@'"]{0,200}@)?([^\s/?#'"]*)[^\s'"]*?([:,;.)]?)(?=[\s'"]|$)/gi;

/** A message as it may be logged: without what it may repeat of a request, a command or an address. */
export function safeText(message: string, longest = LONGEST): string {
  const text = withoutJson(message).replace(REPEATED_ARGUMENTS, 'with args left out').replace(ADDRESS, '$1$2$3');
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** JSON.parse repeats some of what it cannot read, behind a comma. */
function withoutJson(message: string): string {
  return message.endsWith('is not valid JSON') ? `${message.slice(0, message.indexOf(','))}: not valid JSON` : message;
}

/** The frames of a stack, which begins with the message. */
function framesOf(stack: string, message: string): string {
  const at = stack.indexOf(message);
  return at < 0 ? safeText(stack) : stack.slice(0, at) + safeText(message) + stack.slice(at + message.length);
}

const INTERVAL_MS = 10_000;
/** More different messages than an outage has. */
const MOST_MESSAGES = 100;

/** Limits log lines about connections: in an outage each connection repeats its error several times a second. */
export class ErrorThrottle {
  readonly #recent = new LRUCache<string, true>({ max: MOST_MESSAGES, ttl: INTERVAL_MS });

  /** True once per message in 10 s. */
  isDue(error: unknown): boolean {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#recent.has(message)) return false;
    this.#recent.set(message, true);
    return true;
  }
}
