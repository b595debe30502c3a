import { Command } from '@langchain/langgraph';
import { type ArtifactOptions, type Execute, type Outcome, RetryableError, type Turn } from '@switchyard/agent';
import { artifactCheck, modelError } from '@switchyard/agent/models';
import { checkSettings, type SettingCheck, settingCheck } from '@switchyard/agent/runtime';
import { modelCallbacks, problemOf } from './model-callbacks.ts';

/** The state of a graph, by its channels. */
export type GraphState = Readonly<Record<string, unknown>>;

/** What `compile({ checkpointer })` of a `StateGraph` returns. */
export interface Graph {
  getState(config: object): Promise<Snapshot>;
  stream(input: unknown, config: object): Promise<AsyncIterable<unknown>>;
}

interface Snapshot {
  readonly values: unknown;
  readonly config: { readonly configurable?: Readonly<Record<string, unknown>> };
  /** What is left to do; those that failed, too. */
  readonly tasks: readonly { readonly interrupts: readonly { readonly value?: unknown }[] }[];
}

export interface GraphSettings {
  /** With a checkpointer that all workers share, such as PostgresSaver. */
  readonly graph: Graph;
  /** The thread of a turn. Default: the task's id. `(turn) => turn.task.contextId` keeps one for a conversation. */
  readonly thread?: (turn: Turn) => string;
  /** The graph's input for a message. Default: `messages` with the text of the turn. */
  readonly input?: (turn: Turn) => unknown;
  /** The outcome for the graph's last state. Default: completes the task with the text of the last of `messages`. */
  readonly output?: (state: GraphState, turn: Turn) => Promise<Outcome>;
  /** The question for an interrupt's value. Default: the value, as JSON unless it is a text. */
  readonly question?: (value: unknown) => string;
  /** Streams the text of the models into this artifact; the text of a later model replaces it. */
  readonly artifact?: ArtifactOptions;
}

const { function: aFunction, required, that } = settingCheck;
const isGraph = (value: unknown): boolean =>
  typeof Object(value).getState === 'function' && typeof Object(value).stream === 'function';

const graphChecks = {
  graph: required(that(isGraph, 'must be a graph: what compile({ checkpointer }) returns')),
  thread: aFunction,
  input: aFunction,
  output: aFunction,
  question: aFunction,
  artifact: artifactCheck,
} satisfies Record<keyof GraphSettings, SettingCheck>;

/**
 * An executor that runs a graph of LangGraph.js. A task is a thread; an interrupt asks the client, and the next message
 * of the task is its answer. A retried turn continues from the last checkpoint: it neither runs finished nodes again,
 * nor takes its own message for the answer to an interrupt that it has just met. What the graph's models use is counted,
 * within pace and budget.
 *
 *     export const executeWith = (graph: Graph) => graphExecutor({ graph, artifact: { name: 'Answer' } });
 *
 * A node may throw `AgentError` and `RetryableError`. Give each interrupt a node of its own: after a failure LangGraph
 * gives an answer to every interrupt of the node.
 *
 * @throws {TypeError} a setting is wrong
 */
export function graphExecutor(given: GraphSettings): Execute {
  checkSettings('graphExecutor', given, graphChecks);
  const { graph, thread = taskOf, artifact, ...settings } = given;
  const { input = messageOf, output = lastText, question = asText } = settings;
  return async (turn) => {
    await turn.working();
    const config = { configurable: { thread_id: thread(turn) } };
    const now = await graph.getState(config);
    const before = await turn.step('checkpoint', () => checkpointOf(now));
    const isDelivered = checkpointOf(now) !== before;
    const asked = interruptsOf(now);
    const answer = asked.length > 0 ? new Command({ resume: turn.text }) : input(turn);
    const hasMore = isDelivered ? now.tasks.length > 0 && asked.length === 0 : true;
    if (hasMore) await run(turn, { graph, config, artifact, input: isDelivered ? null : answer });
    const after = await lastSnapshot(turn, { graph, config, isKept: settings.output !== undefined });
    const [interrupt] = interruptsOf(after);
    if (interrupt) return turn.requireInput(question(interrupt.value));
    return output(stateOf(after), turn);
  };
}

interface LastSnapshot {
  readonly graph: Graph;
  readonly config: { readonly configurable: { readonly thread_id: string } };
  /** The author's code goes on with it, and may wait; meanwhile another task with this thread may go on. */
  readonly isKept: boolean;
}

/** The state that the graph has reached: if it is kept, the same one in each run of the turn. */
async function lastSnapshot(turn: Turn, { graph, config, isKept }: LastSnapshot): Promise<Snapshot> {
  const now = await graph.getState(config);
  if (!isKept) return now;
  const reached = await turn.step('last checkpoint', () => checkpointOf(now));
  if (reached === checkpointOf(now)) return now;
  return graph.getState({ configurable: { ...config.configurable, checkpoint_id: reached } });
}

interface GraphRun {
  readonly graph: Graph;
  readonly artifact: ArtifactOptions | undefined;
  readonly config: object;
  /** null: the graph continues. */
  readonly input: unknown;
}

async function run(turn: Turn, { graph, config, artifact: options, input }: GraphRun): Promise<void> {
  const { signal } = turn;
  const artifact = options && turn.artifact(options);
  const settings = { ...config, signal, callbacks: [modelCallbacks()], durability: 'sync', streamMode: ['messages'] };
  let last: string | undefined;
  try {
    for await (const part of await graph.stream(input, settings)) {
      const { id, text } = messageIn(part);
      if (!text || !artifact) continue;
      await (id === last ? artifact.append(text) : artifact.replace(text));
      last = id;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw retryOf(error) ?? error;
  }
  signal.throwIfAborted();
  if (last !== undefined) await artifact?.finish();
}

/** For temporary errors. Any node may throw other errors with a status. */
function retryOf(error: unknown): RetryableError | undefined {
  const known = modelError(error, problemOf(error));
  return known instanceof RetryableError ? known : undefined;
}

/** A message of a model, or a piece of one, in `[mode, [message, metadata]]`. */
function messageIn(part: unknown): { readonly id: string | undefined; readonly text: string } {
  const [, data] = Array.isArray(part) ? part : [];
  const [message] = Array.isArray(data) ? data : [];
  const isOfModel = message?.getType?.() === 'ai' && typeof message.text === 'string';
  return isOfModel ? { id: `${message.id}`, text: message.text } : { id: undefined, text: '' };
}

function checkpointOf({ config }: Snapshot): string {
  return `${config.configurable?.checkpoint_id ?? ''}`;
}

function interruptsOf({ tasks }: Snapshot): readonly { readonly value?: unknown }[] {
  return tasks.flatMap(({ interrupts }) => interrupts);
}

function stateOf({ values }: Snapshot): GraphState {
  return typeof values === 'object' && values !== null ? { ...values } : {};
}

function taskOf(turn: Turn): string {
  return turn.task.id;
}

/** With the message's id, so that a state of messages has it once. */
function messageOf({ text, message }: Turn): unknown {
  return { messages: [{ role: 'user', content: text, id: message.messageId }] };
}

async function lastText({ messages }: GraphState, turn: Turn): Promise<Outcome> {
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  return turn.complete(typeof last?.text === 'string' ? last.text : '');
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'Yes?');
}
