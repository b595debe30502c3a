import type { CodePlace, ThrownError } from '@switchyard/protocol';
import { withoutSecrets } from './agent-line.ts';
import { codeFrames } from './code-frames.ts';
import { safeText } from './error-fields.ts';
import { messageOf, textOfThrown } from './error-message.ts';
import { sourceLine } from './source-lines.ts';

export interface ThrownErrorOptions {
  /** Values that are left out, as in log lines of agents. */
  readonly secrets: readonly string[];
  /** Paths in it are shown relative to it. */
  readonly folder: string;
}

/** The error that was thrown, and the first place in the author's code in its stack, or in that of a cause. */
export interface Thrown {
  /** One line: the type, unless it says nothing, and the message. */
  readonly text: string;
  readonly error: ThrownError;
  readonly place: CodePlace | undefined;
}

const MAX_DEPTH = 5;
const MAX_ERRORS = 5;
/** Of all causes and gathered errors together. */
const MAX_ALL = 20;
const MAX_FRAMES = 20;
const MAX_OTHER_FRAMES = 6;
const MAX_MESSAGE_LENGTH = 1_000;
/** Of a longer text, the rest is not even searched for secrets. */
const MAX_READ_LENGTH = 20_000;
/** Names of errors that add nothing to their messages. */
const PLAIN = new Set(['Error', 'AgentError', 'RetryableError', 'TurnInterruption', 'TurnMisuseError', 'CallError']);

/** An error of an agent's code, made safe to keep: redacted by the rules of the log, and bounded. Never throws. */
export function thrownError(thrown: unknown, options: ThrownErrorOptions): Thrown {
  try {
    const error = new Reading(options).read(thrown, 0);
    const { type, message } = error;
    return { text: PLAIN.has(type) ? message : `${type}: ${message}`, error, place: placeIn(error) };
  } catch {
    const error = { type: 'unknown', message: 'The thrown value cannot be read.' };
    return { text: error.message, error, place: undefined };
  }
}

/** A text made safe to keep, by the same rules. */
export function safeReason(text: string, secrets: readonly string[]): string {
  return withoutSecrets(safeText(text.slice(0, MAX_READ_LENGTH), MAX_MESSAGE_LENGTH), secrets);
}

class Reading {
  readonly #options: ThrownErrorOptions;
  #left = MAX_ALL;

  constructor(options: ThrownErrorOptions) {
    this.#options = options;
  }

  read(thrown: unknown, depth: number): ThrownError {
    this.#left--;
    if (!(thrown instanceof Error)) return notAnError(thrown, this.#options);
    const { name, message, stack = '', cause } = thrown;
    const errors = 'errors' in thrown && Array.isArray(thrown.errors) ? this.#inner(thrown.errors, depth) : [];
    const [readCause] = this.#inner(cause === undefined || cause === null ? [] : [cause], depth);
    return {
      type: String(name).slice(0, 100),
      message: safeReason(messageOf(thrown), this.#options.secrets),
      ...numbersOf(thrown),
      frames: framesOf(below(String(stack), String(message)).slice(0, MAX_READ_LENGTH), this.#options),
      ...(readCause && { cause: readCause }),
      ...(errors.length > 0 && { errors }),
    };
  }

  #inner(errors: readonly unknown[], depth: number): ThrownError[] {
    if (depth >= MAX_DEPTH) return [];
    return errors.slice(0, MAX_ERRORS).flatMap((each) => (this.#left > 0 ? [this.read(each, depth + 1)] : []));
  }
}

function notAnError(thrown: unknown, { secrets }: ThrownErrorOptions): ThrownError {
  const type = thrown === null ? 'null' : typeof thrown;
  return { type: `${type}, not an Error`, message: safeReason(textOfThrown(thrown), secrets) };
}

function numbersOf(error: Error): Pick<ThrownError, 'code' | 'status'> {
  const code = 'code' in error ? error.code : undefined;
  const given = 'status' in error ? error.status : 'statusCode' in error ? error.statusCode : undefined;
  const status = Number.isInteger(given) && Number(given) >= 100 && Number(given) <= 599 ? Number(given) : undefined;
  return {
    ...(typeof code === 'number' && { code }),
    ...(typeof code === 'string' && { code: code.slice(0, 100) }),
    ...(status !== undefined && { status }),
  };
}

/** The part of a stack below its message, which may look like frames itself. */
function below(stack: string, message: string): string {
  const at = message === '' ? -1 : stack.indexOf(message);
  return at < 0 ? stack : stack.slice(at + message.length);
}

/** Of other code than the author's, only the frames nearest to the error. */
function framesOf(lines: string, { secrets, folder }: ThrownErrorOptions): ThrownError['frames'] {
  let others = 0;
  return codeFrames(lines, folder)
    .filter(({ of }) => of === 'author' || of === 'package' || ++others <= MAX_OTHER_FRAMES)
    .slice(0, MAX_FRAMES)
    .map(({ path, ...frame }) => {
      const source = frame.of === 'author' ? sourceLine(path, frame.line) : undefined;
      return { ...frame, ...(source !== undefined && { source: safeReason(source, secrets) }) };
    });
}

function placeIn({ frames = [], cause, errors = [] }: ThrownError): CodePlace | undefined {
  const own = frames.find(({ of }) => of === 'author');
  if (own) {
    const { file, line, column, source } = own;
    return { file, line, column, ...(source !== undefined && { source }) };
  }
  const inside = [...(cause ? [cause] : []), ...errors];
  return inside.map(placeIn).find((place) => place !== undefined);
}
