import type { FailureReport } from '@switchyard/protocol';
import { refusalAdvice } from './refusal-advice.ts';

type Advise = (where: string) => string;

/** What to do after a failure, before the task runs again. `where`: the author's line, or `the agent`. */
const advice: Readonly<Partial<Record<FailureReport['kind'], Advise>>> = {
  threw: (where) => `Mend ${where}.`,
  'input-refused': () =>
    'Send a new message with the input that the agent takes; its card has the schema. A rerun has the same input.',
  misuse: (where) => `Mend ${where}, as the message says.`,
  'over-limit': (where) => `Make ${where} write less, or raise the limit that the message names.`,
  'budget-spent': () =>
    "See what was used (switchyard usage), and raise the agent's, the client's or the tenant's budget that the message " +
    'names, or wait until it renews.',
  'timed-out': () =>
    'Find out what the agent waits for, and give it turn.signal, so that it stops in time; ' +
    'or give the agent a larger turnTimeoutMs.',
  'retry-asked': () => 'See why every attempt had to be repeated: the cause is probably still there.',
  'call-failed': () => 'See the called task, if there is one, and whether the called agent answers.',
  'not-begun': () =>
    'See what waits and whether its workers run (switchyard queue), and start more of them; ' +
    'or give such messages a longer time to live, or a higher priority.',
  'worker-lost': () =>
    "See the end of the worker's log: the process was killed, crashed, or had too little memory " +
    '(NODE_OPTIONS=--max-old-space-size=<MiB> sets how much it may use).',
  'worker-blocked': (where) =>
    `Mend ${where}: code that runs long must await now and then, or run in a thread or process of its own.`,
  'worker-exited': (where) => `Mend ${where}: an agent ends its turn with an outcome or an error.`,
  'not-written': () => 'See whether Redis answers and has memory: switchyard doctor.',
};

/** @returns undefined: the message says all that is known */
export function adviceFor({ kind, place, error }: FailureReport): string | undefined {
  const where = place ? `${place.file}:${place.line}` : 'the agent';
  return (
    callAdvice(kind, error?.code) ??
    retryAdvice(kind, error) ??
    refusalAdvice(kind, error, where) ??
    advice[kind]?.(where)
  );
}

/** Calls that fail again whatever the called agent does. `code`: the kind of the CallError. */
function callAdvice(kind: FailureReport['kind'], code: string | number | undefined): string | undefined {
  if (kind !== 'call-failed' || code === undefined) return undefined;
  if (code === 'unknown-agent') return 'Correct the id of the called agent, or start a worker that has this agent.';
  return code === 'busy' || code === 'timed-out' ? undefined : 'Mend the call, as the message says.';
}

const serverLog = "See the log of the model's server, and of the proxies before it";

/** By the code of an UnavailableError. */
const unavailable: ReadonlyMap<string | number | undefined, string> = new Map([
  [
    'model-unreachable',
    "See whether the model's server runs, and whether the worker reaches its address (baseURL), as the cause says.",
  ],
  ['model-silent', `${serverLog}: it sent nothing for too long. If it needs longer, raise timeoutMs.`],
  [
    'model-busy',
    "Raise the limits of the account at the model's provider, or limit how many requests the workers send (docs/pace.md).",
  ],
  ['model-failed', `${serverLog}, or the provider's status page: it fails, as the cause says.`],
  [
    'model-form',
    "Correct the address of the model's server (baseURL): what answers there, in the cause, does not speak its API.",
  ],
  ['model-broken-off', `${serverLog}: it ends in the middle of an answer, as the cause says.`],
  ['model-odd-end', 'If the answer was whole, add the reason in the cause to the setting wholeReasons.'],
  ['model-empty', 'Change the prompt, or the model: it answers with nothing.'],
  ['model-schema', 'Take a model that keeps to a schema, or make the schema simpler: the cause says what was wrong.'],
  [
    'remote-unreachable',
    'See whether the remote agent runs, and whether the worker reaches its address, as the cause says.',
  ],
]);

/** What an executor did not get, in no attempt. */
function retryAdvice(kind: FailureReport['kind'], error: FailureReport['error']): string | undefined {
  return kind === 'retry-asked' ? unavailable.get(error?.code) : undefined;
}

/** Whether the same message may end otherwise after the advice. */
export const mayRerun = ({ kind }: FailureReport): boolean => kind !== 'input-refused';
