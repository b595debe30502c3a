import {
  type AgentCard,
  type JsonSchema,
  longestTimeToLiveMs,
  type Priority,
  priorities,
  type WhileWorking,
} from '@switchyard/protocol';
import { checkAll, checkEach, checkNames, checkRange } from '../checks/checks.ts';
import type { DataSchema } from '../data/data-schema.ts';
import { jsonSchemaOf } from '../data/input.ts';
import type { Budget } from '../port/budget.ts';
import type { Outcome } from '../port/outcome.ts';
import { highest, type RetryPolicy, retryPolicy } from '../retries/retry-policy.ts';
import { longestTimeoutMs } from '../timeouts/timeouts.ts';
import type { Turn } from '../turn/turn.ts';
import { type AgentCardDraft, completeCard, type ExtendedCardDraft, extendCard, rightCard } from './agent-card.ts';
import { type AgentLimits, type CheckedLimits, checkLimits } from './limits.ts';
import type { Middleware, TurnFailure } from './middleware.ts';

/** Runs one turn, and returns its outcome: `return turn.complete(…)`. */
export type Execute<Input = unknown> = (turn: Turn<Input>) => Promise<Outcome>;

/** The definition of an agent by its author; `defineAgent` adds the defaults. */
export interface AgentDefinition<Input = unknown> {
  /** Its name in URLs and queues: lower-case letters, digits and single hyphens, at most 63. */
  readonly id: string;
  readonly card: AgentCardDraft;
  /**
   * Card for authenticated clients (A2A 3.1.11): skills and extensions are added to the card's, other fields replace
   * the card's. Gateways without authentication do not serve it.
   */
  readonly extendedCard?: ExtendedCardDraft;
  /** The agent always answers with a plain Message and never creates a task (A2A 3.1.1). Default: false. */
  readonly repliesWithMessage?: boolean;
  /**
   * Turns that one worker process runs at a time, 1 to 10,000. Default: 20, which suits agents that mostly wait for a
   * model.
   */
  readonly concurrency?: number;
  /**
   * Skills of the card with a queue of their own, and the turns of each that one worker process runs at a time, besides
   * those of `concurrency`: `{ print: 2 }`. A task enters this queue if its first message names the skill, by the A2A
   * extension docs/extensions/skill.md. The id of such a skill has letters, digits, hyphens, underscores and dots, at
   * most 63.
   */
  readonly skillConcurrency?: Readonly<Record<string, number>>;
  /**
   * Longest duration of a turn in milliseconds, at most 24 days; then it is interrupted and the task fails. Default:
   * 600,000.
   */
  readonly turnTimeoutMs?: number;
  /**
   * Schema of zod or another Standard Schema library for the input of a task: the one data part of the message that
   * begins it (A2A 4.1.6), beside which the message may have other parts. `turn.input` then has its type. A message
   * with other data, or with text alone, is refused at the gateway with its wrong fields, before there is a task; what
   * only the library can check, and whatever a library without JSON Schema cannot tell the gateway, the worker refuses
   * by rejecting the task. Later messages of the task may be anything. The card has the schema, by the A2A extension
   * docs/extensions/input.md. Default: any message begins a task.
   */
  readonly input?: DataSchema<Input>;
  /** How often, and when, a turn is retried. */
  readonly retry?: Partial<RetryPolicy>;
  /**
   * What happens to a message that arrives for a task while its turn runs. `queue`: it waits, and runs as the next
   * turn. `steer`: the running turn gets it, see `turn.steering`. `reject`: it is refused. The card tells clients.
   * Default: queue.
   */
  readonly whileWorking?: WhileWorking;
  /**
   * With which priority its tasks wait for a worker, unless the client names another: `high` before `normal` before
   * `low`, but one turn of ten is left to lower ones. It orders the tasks of this agent only. See
   * docs/extensions/priority.md. Default: normal.
   */
  readonly priority?: Priority;
  /**
   * Within how many ms a worker must begin a message, at most 7 days; otherwise it is rejected, and with it the task that
   * it has made. A client may name another time. See docs/extensions/time-to-live.md. Default: no limit.
   */
  readonly timeToLiveMs?: number;
  /**
   * Turns of one task never run at the same time; turns of different tasks do, so keep state in the task, not in the
   * module. What it throws decides what happens to the turn, see `defineAgent`.
   */
  readonly execute: Execute<Input>;
  /**
   * Called when the turn has failed for good, before its task fails: after an error that is not retried, after the last
   * attempt, at `turnTimeoutMs`, or without an outcome. It may publish messages and artifacts, run steps and make
   * calls, but not change the outcome. It has 5 s; what it throws is only logged. It is not called if the agent itself
   * fails or rejects the task, if the task is canceled, or if the last attempt's worker dies; and again if its worker
   * dies before the failure is stored. After a timeout `turn.signal` is aborted, so that no step or call begins.
   *
   *     onFailure: (turn, { text }) => turn.artifact({ name: 'Post-mortem' }).finish(`It stopped: ${text}`),
   */
  readonly onFailure?: (turn: Turn<Input>, failure: TurnFailure) => void | Promise<void>;
  /** Code around turns and steps, the first entry outermost. */
  readonly use?: readonly Middleware[];
  /**
   * What a task may spend on models, with all tasks that it calls. It is checked before each request to a model and
   * each call: nothing is exceeded by more than what is under way. A client may name a smaller one. Default: none.
   *
   *     budget: { microUsd: 2_000_000, whenSpent: 'ask' },
   */
  readonly budget?: Budget;
  /** How many of its turns run over all workers, and how many begin. `runTurn` ignores them. Default: any number. */
  readonly limits?: AgentLimits;
}

/** An agent for a worker: the definition with all defaults. */
export interface Agent {
  readonly id: string;
  readonly card: AgentCard;
  /** The complete card for authenticated clients, if there is one. */
  readonly extendedCard?: AgentCard;
  readonly repliesWithMessage: boolean;
  readonly concurrency: number;
  readonly skillConcurrency?: Readonly<Record<string, number>>;
  readonly turnTimeoutMs: number;
  readonly retry: RetryPolicy;
  readonly whileWorking: WhileWorking;
  readonly priority?: Priority;
  readonly timeToLiveMs?: number;
  readonly input?: DataSchema<unknown>;
  /** Of `input`, if its library can give one. */
  readonly inputSchema?: JsonSchema;
  readonly execute: Execute;
  readonly onFailure?: (turn: Turn, failure: TurnFailure) => void | Promise<void>;
  readonly use?: readonly Middleware[];
  readonly budget?: Budget;
  readonly limits?: CheckedLimits;
}

/**
 * Defines an agent. A module that workers load exports it as its default.
 *
 *     export default defineAgent({
 *       id: 'hello',
 *       card: { name: 'Hello', description: 'Greets every caller.', version: '1.0.0', skills: [] },
 *       execute: (turn) => turn.complete(`Hello, ${turn.text}!`),
 *     });
 *
 * **What `execute` throws**: a `RetryableError` retries the turn, by `retry`; an `AgentError` fails the task with its
 * message. Any other error, such as a plain `Error`, fails the task at once, with a neutral message for the client and
 * the error for operators. Engines for workflows retry every error; here a client waits for the answer, most plain
 * errors are mistakes that the next attempt repeats, and each attempt may ask a model again. To retry any error of one
 * part of the turn, give its `turn.step` some `attempts`.
 * @throws {TypeError} naming every field that is wrong or unknown, and what was probably meant
 */
export function defineAgent<Input = unknown>(definition: AgentDefinition<Input>): Agent {
  requireObject(definition);
  const { id, repliesWithMessage = false, concurrency = 20, turnTimeoutMs = 600_000 } = definition;
  const { skillConcurrency, whileWorking = 'queue', priority, timeToLiveMs, input, use, budget, limits } = definition;
  // Its turns get the input that the schema has parsed.
  const { execute, onFailure } = definition as AgentDefinition;
  try {
    const checked = checkAll({
      names: () => checkNames('', definition, names),
      id: () => checkId(id),
      cards: () => completeCards(definition),
      repliesWithMessage: () => checkFlag('repliesWithMessage', repliesWithMessage),
      concurrency: () => checkRange('concurrency', concurrency, 10_000),
      skillConcurrency: () => checkSkills(definition as AgentDefinition),
      turnTimeoutMs: () => checkRange('turnTimeoutMs', turnTimeoutMs, longestTimeoutMs),
      whileWorking: () => checkWord('whileWorking', whileWorking, whatsWhileWorking),
      priority: () => checkWord('priority', priority ?? 'normal', priorities),
      timeToLiveMs: () => checkRange('timeToLiveMs', timeToLiveMs ?? 1, longestTimeToLiveMs),
      execute: () => checkExecute(execute),
      onFailure: () => checkHandler('onFailure', onFailure),
      use: () => checkMiddleware(use),
      budget: () => checkBudget(budget),
      retryNames: () => checkNames('retry.', definition.retry, highest),
      retry: () => retryPolicy(definition.retry),
      inputSchema: () => input && jsonSchemaOf(input),
      limits: () => (limits === undefined ? undefined : checkLimits(limits)),
    });
    const { cards, retry, inputSchema } = checked;
    return {
      id,
      ...cards,
      repliesWithMessage,
      concurrency,
      ...(skillConcurrency && { skillConcurrency }),
      turnTimeoutMs,
      retry,
      whileWorking,
      ...(priority && { priority }),
      ...(timeToLiveMs && { timeToLiveMs }),
      ...(input && { input }),
      ...(inputSchema && { inputSchema }),
      execute,
      ...(onFailure && { onFailure }),
      ...(use && { use }),
      ...(budget && { budget }),
      ...(checked.limits && { limits: checked.limits }),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : error;
    throw new TypeError(`The agent ${nameOf(id)} cannot be defined: ${reason}`, { cause: error });
  }
}

const names = {
  id: true,
  card: true,
  extendedCard: true,
  repliesWithMessage: true,
  concurrency: true,
  skillConcurrency: true,
  turnTimeoutMs: true,
  input: true,
  retry: true,
  whileWorking: true,
  priority: true,
  timeToLiveMs: true,
  execute: true,
  onFailure: true,
  use: true,
  budget: true,
  limits: true,
} satisfies Record<keyof AgentDefinition, true>;
const namesOfBudget = { microUsd: true, tokens: true, whenSpent: true } satisfies Record<keyof Budget, true>;
const namesOfMiddleware = { aroundTurn: true, aroundStep: true } satisfies Record<keyof Middleware, true>;
const whatsWhileWorking: readonly WhileWorking[] = ['queue', 'steer', 'reject'];

function checkWord(name: string, value: string, words: readonly string[]): void {
  if (words.includes(value)) return;
  const quoted = words.map((word) => `"${word}"`);
  throw new TypeError(`its ${name} is "${value}" and must be ${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`);
}

function requireObject(definition: unknown): void {
  if (typeof definition === 'object' && definition !== null) return;
  throw new TypeError('defineAgent needs an object with id, card and execute');
}

const nameOf = (id: string | undefined): string => (id === undefined ? 'without an id' : `"${id}"`);

function checkFlag(name: string, value: unknown): void {
  if (typeof value !== 'boolean') throw new TypeError(`its ${name} must be true or false`);
}

function checkExecute(execute: unknown): void {
  if (typeof execute !== 'function') throw new TypeError('its execute is missing, or is not a function');
}

function checkHandler(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') throw new TypeError(`its ${name} is no function`);
}

function checkMiddleware(use: AgentDefinition['use'] = []): void {
  if (!Array.isArray(use)) throw new TypeError('its use is no list of middleware');
  checkEach(use, (layer, at) =>
    checkAll({
      names: () => checkNames(`use[${at}].`, layer, namesOfMiddleware),
      aroundTurn: () => checkHandler(`use[${at}].aroundTurn`, layer?.aroundTurn),
      aroundStep: () => checkHandler(`use[${at}].aroundStep`, layer?.aroundStep),
    }),
  );
}

function checkBudget(budget: Budget = {}): void {
  if (budget === null) throw new TypeError('its budget is no object');
  const { microUsd = 1, tokens = 1, whenSpent = 'fail' } = budget;
  checkAll({
    names: () => checkNames('budget.', budget, namesOfBudget),
    microUsd: () => checkRange('budget.microUsd', microUsd, Number.MAX_SAFE_INTEGER),
    tokens: () => checkRange('budget.tokens', tokens, Number.MAX_SAFE_INTEGER),
    whenSpent: () => checkWord('budget.whenSpent', whenSpent, ['fail', 'ask']),
  });
}

function completeCards<Input>(definition: AgentDefinition<Input>): Pick<Agent, 'card' | 'extendedCard'> {
  const { extendedCard, input } = definition;
  checkCardType('card', definition.card);
  checkCardType('extendedCard', extendedCard);
  // Beside its data a message may have a text, and later messages are often nothing else.
  const card = { ...(input && { defaultInputModes: ['application/json', 'text/plain'] }), ...definition.card };
  if (!extendedCard) return { card: completeCard(card) };
  // What is wrong with the card is said once: the extended one is then checked on top of another card.
  let checkedCard: AgentCardDraft = rightCard;
  return checkAll({
    card() {
      const complete = completeCard(card);
      checkedCard = card;
      return complete;
    },
    extendedCard: () => completeCard(extendCard(checkedCard, extendedCard), 'extendedCard'),
  });
}

function checkCardType(name: string, card: unknown): void {
  if (card !== undefined && (typeof card !== 'object' || card === null || Array.isArray(card)))
    throw new TypeError(`its ${name} is no object`);
}

function checkSkills({ skillConcurrency = {}, card, extendedCard }: AgentDefinition): void {
  if (typeof skillConcurrency !== 'object' || skillConcurrency === null)
    throw new TypeError('its skillConcurrency is no object');
  const skills = [card, extendedCard].flatMap((one) => one?.skills ?? []);
  checkEach(Object.entries(skillConcurrency), ([id, concurrency]) => {
    if (!skills.some((skill) => skill?.id === id))
      throw new TypeError(`its skillConcurrency names "${id}", which is no skill of its card`);
    if (!/^[\w.-]{1,63}$/.test(id))
      throw new TypeError(
        `its skillConcurrency names "${id}": the id must be letters, digits, hyphens, underscores and dots, at most 63`,
      );
    checkRange(`skillConcurrency.${id}`, concurrency, 10_000);
  });
}

/**
 * Whether a value, such as the default export of a module, is an agent.
 *
 *     const { default: loaded }: { default?: unknown } = await import(process.argv[2] ?? '');
 *     if (!isAgent(loaded)) throw new TypeError('The module exports no agent.');
 */
export function isAgent(value: unknown): value is Agent {
  if (typeof value !== 'object' || value === null) return false;
  return 'id' in value && 'card' in value && 'execute' in value && typeof value.execute === 'function';
}

function checkId(id: unknown): void {
  if (typeof id === 'string' && id.length <= 63 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id)) return;
  throw new TypeError(
    'its id must be lower-case letters, digits and single hyphens, at most 63, for example "pizza-desk"',
  );
}
