import { TurnEnded, TurnInterruption } from '@switchyard/agent';
import type {
  CallOutcome,
  CallPlacement,
  CallPort,
  CallRefusal,
  OutgoingCall,
  PlacedCall,
} from '@switchyard/agent/runtime';
import { isTerminal, type Message } from '@switchyard/protocol';
import {
  type AgentAnnouncement,
  namedSkill,
  type OpenTurn,
  type Placement,
  remoteAgentId,
  type Scope,
  type Store,
  skillHint,
} from '@switchyard/store';
import { traceCall } from '@switchyard/telemetry';
import type { WorkerFiles } from '../../files/worker-files.ts';
import type { TurnFailures } from '../failures/turn-failures.ts';
import { awaitOutcome, readOutcome } from './call-outcome.ts';
import { mapStoreErrors } from './store-errors.ts';

/** What calls to other agents need. */
export interface CallDependencies {
  readonly store: Store;
  readonly files: Pick<WorkerFiles, 'keep' | 'hasLargeRaw' | 'move'>;
  /** Resolves when this process takes the turns of agents that are called by the URL of their card. */
  readonly consumeRemoteAgents: () => Promise<void>;
  /** While a turn waits for another one, its slot in this process goes to turns that others wait for. */
  readonly yieldSlot: <T>(wait: () => Promise<T>) => Promise<T>;
  /** How long a turn waits for a call before it is suspended. Default: 5 s. */
  readonly callPatienceMs?: number | undefined;
}

/**
 * Calls other agents through the store, on behalf of the turn's principal: those that workers of this deployment
 * announced, and remote ones, whose turns run in a worker as well.
 */
export class StoredCalls implements CallPort {
  readonly maxDepth: number;
  readonly patienceMs: number;
  readonly #dependencies: CallDependencies;
  readonly #turn: OpenTurn;
  readonly #failures: TurnFailures;

  constructor(dependencies: CallDependencies, turn: OpenTurn, failures: TurnFailures) {
    this.#dependencies = dependencies;
    this.#turn = turn;
    this.#failures = failures;
    this.patienceMs = dependencies.callPatienceMs ?? 5_000;
    this.maxDepth = dependencies.store.settings.maxCallDepth;
  }

  async place(call: OutgoingCall): Promise<CallPlacement> {
    const agent = (await this.#store.registry.find(call.agent)) ?? (await this.#remoteAgents(call.agent));
    if (!agent) return { refused: 'unknown-agent' };
    const { isDetached } = call;
    const message = await this.#withoutLargeRaw(call.message);
    const sent = { agent: agent.id, messageId: message.messageId, isAwaited: !isDetached };
    const placement = await traceCall(sent, (trace) => {
      const { requestId } = this.#turn.start;
      const submission = {
        ...submissionOf(call, agent),
        ...(message !== call.message && { message, sentMessage: call.message }),
        ...(trace && { trace }),
        ...(requestId !== undefined && { requestId }),
      };
      return mapStoreErrors(() => this.#store.calls.place(this.#turn, { agent: agent.id, submission, isDetached }));
    });
    if (placement.verdict === 'accepted')
      await this.#dependencies.files.keep(this.#turn.start.principal, message.parts, placement.taskId);
    return toCallPlacement(call.agent, placement);
  }

  /** The calling task keeps the files until that of the call does. */
  async #withoutLargeRaw(message: Message): Promise<Message> {
    const { files } = this.#dependencies;
    if (!files.hasLargeRaw(message.parts)) return message;
    const { principal, taskId } = this.#turn.start;
    return { ...message, parts: await files.move(message.parts, { principal, taskId }) };
  }

  async outcome(call: PlacedCall, signal: AbortSignal): Promise<CallOutcome | 'missing' | undefined> {
    // Another process may have placed it.
    if (isWebUrl(call.agent)) await this.#dependencies.consumeRemoteAgents();
    const scope = this.#scopeOf(call);
    for (let from = call; ; ) {
      const awaited = { call: from, signal };
      const released = await this.#dependencies.yieldSlot(() => awaitOutcome(this.#store.feeds, scope, awaited));
      if (!released || released === 'missing') return released;
      const outcome = await readOutcome(this.#store.tasks, scope, { taskId: call.taskId, last: released });
      if (outcome === 'missing') return outcome;
      const { state } = outcome.task.status;
      if (isTerminal(state)) await this.#store.calls.forget(this.#turn, call.taskId);
      // An authorization that was asked for at an earlier message, or has come meanwhile, is no outcome.
      if (released.state !== 'TASK_STATE_AUTH_REQUIRED' || isTerminal(state) || state === released.state)
        return outcome;
      from = { ...call, after: { seq: released.seq, incarnation: released.incarnation } };
    }
  }

  read(call: PlacedCall): Promise<CallOutcome | 'missing'> {
    return readOutcome(this.#store.tasks, this.#scopeOf(call), call);
  }

  async cancel(call: PlacedCall): Promise<void> {
    await this.#store.tasks.cancel(this.#scopeOf(call), call.taskId);
  }

  noteFailure(agent: string, error: unknown): Promise<void> {
    return this.#failures.callFailed(agent, error);
  }

  get #store() {
    return this.#dependencies.store;
  }

  /** A call to an agent by the URL of its card has a task in the store, as any other call. */
  async #remoteAgents(cardUrl: string): Promise<Addressee | undefined> {
    if (!isWebUrl(cardUrl)) return undefined;
    await this.#dependencies.consumeRemoteAgents();
    return { id: remoteAgentId(cardUrl) };
  }

  #scopeOf({ agent }: PlacedCall): Scope {
    return { principal: this.#turn.start.principal, agent: isWebUrl(agent) ? remoteAgentId(agent) : agent };
  }
}

/** An agent of this deployment with its card; a remote agent without: its executor reads the card. */
type Addressee = Pick<AgentAnnouncement, 'id'> & Partial<AgentAnnouncement>;

const isWebUrl = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text);

/** Extensions that are requested and offered are activated, as for any client (A2A 4.6.2). */
function submissionOf({ message, extensions = [], acceptedOutputModes, metadata }: OutgoingCall, agent: Addressee) {
  const { card, priority, timeToLiveMs } = agent;
  const skill = card && namedSkill({ ...agent, card }, skillHint(message));
  const offered = new Set(card?.capabilities.extensions?.map(({ uri }) => uri));
  return {
    message,
    extensions: extensions.filter((uri) => !card || offered.has(uri)),
    ...(acceptedOutputModes && { acceptedOutputModes }),
    ...(metadata && { metadata }),
    ...(skill && { skill }),
    ...(timeToLiveMs !== undefined && { timeToLiveMs }),
    ...(priority && message.taskId === undefined && { priority }),
  };
}

type Refused = Exclude<Placement['verdict'], 'accepted' | 'caller-canceling'>;

const refusals: Readonly<Record<Refused, CallRefusal>> = {
  missing: 'missing',
  'context-mismatch': 'other-context',
  'other-shard': 'other-context',
  terminal: 'ended',
  canceling: 'ended',
  'history-full': 'ended',
  'inbox-full': 'busy',
  working: 'busy',
  waits: 'busy',
  'too-many-calls': 'too-many',
  // Cannot happen: the id of the message is derived from its content.
  conflict: 'busy',
  'too-many-webhooks': 'busy',
};

function toCallPlacement(agent: string, placement: Placement): CallPlacement {
  if (placement.verdict === 'caller-canceling') throw new TurnEnded(new TurnInterruption('canceled'));
  if (placement.verdict !== 'accepted') return { refused: refusals[placement.verdict] };
  const { taskId, number, seq, incarnation, isDuplicate } = placement;
  // A message that was sent before may have been answered already: read all events again.
  return { agent, taskId, number, after: isDuplicate ? { seq: 0 } : { seq, incarnation } };
}
