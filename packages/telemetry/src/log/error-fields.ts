import { LRUCache } from 'lru-cache';
import { messageOf, textOfThrown } from './error-message.ts';

/** The fields of an error that may be logged. */
export interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: string | number;
  readonly cause?: ErrorFields | string;
}

/** A chain of causes may be longer, or a circle. */
const MAX_CAUSES = 10;

/**
 * The fields of an error for the log. Other properties are left out: ioredis attaches the command to its errors, with
 * passwords and messages of clients. Never throws: agents throw anything.
 */
export function errorFields(error: unknown): ErrorFields | string {
  try {
    return fieldsOf(error, 0);
  } catch {
    return 'The thrown value cannot be read.';
  }
}

function fieldsOf(error: unknown, depth: number): ErrorFields | string {
  if (!(error instanceof Error)) return safeText(textOfThrown(error));
  const { name, message, stack, cause } = error;
  const code = 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') && error.code;
  return {
    type: name,
    message: safeText(messageOf(error)),
    stack: stack && safeStack(stack, message),
    ...(code !== false && { code }),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: fieldsOf(cause, depth + 1) }),
  };
}

/** A longer message usually repeats input of a client. */
const MAX_LENGTH = 200;
/** Redis repeats the arguments in its error for an unknown command. */
const REPEATED_ARGUMENTS = /with args beginning with:[^\n]*/g;
/** A URL. Its user name, password, path and query are removed; punctuation that follows it is kept. */
const URL_IN_TEXT = /\b([a-z]+:\/\/)(?:[^\s/@'"]{0,200}@)?([^\s/?#'"]*)[^\s'"]*?([:,;.)]?)(?=[\s'"]|$)/gi;

/** A message made safe for the log: without parts of requests, arguments of commands, or secrets in URLs. */
export function safeText(message: string, maxLength = MAX_LENGTH): string {
  const text = withoutJson(message).replace(REPEATED_ARGUMENTS, 'with args left out').replace(URL_IN_TEXT, '$1$2$3');
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** Errors of JSON.parse repeat part of the invalid text after a comma. */
function withoutJson(message: string): string {
  return message.endsWith('is not valid JSON') ? `${message.slice(0, message.indexOf(','))}: not valid JSON` : message;
}

/** The stack, with its message made safe. */
function safeStack(stack: string, message: string): string {
  const at = stack.indexOf(message);
  return at < 0 ? safeText(stack) : stack.slice(0, at) + safeText(message) + stack.slice(at + message.length);
}

const INTERVAL_MS = 10_000;
/** More than an outage has different messages. */
const MAX_MESSAGES = 100;

/** Limits log lines about connections: in an outage, each connection repeats its error several times a second. */
export class ErrorThrottle {
  readonly #recent = new LRUCache<string, true>({ max: MAX_MESSAGES, ttl: INTERVAL_MS });

  /** True once in 10 s for each message. */
  isDue(error: unknown): boolean {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#recent.has(message)) return false;
    this.#recent.set(message, true);
    return true;
  }
}
