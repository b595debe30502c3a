import { CallError, TurnEnded, TurnInterruption } from '@switchyard/agent';
import { faultOf, type ModelCall } from '@switchyard/agent/runtime';
import type { FailureReport, StatusEvent, TurnFault } from '@switchyard/protocol';
import {
  MemoryTooLarge,
  type NotedModelCall,
  type OpenTurn,
  TaskTooLarge,
  TooManyArtifacts,
  TooManyResults,
} from '@switchyard/store';
import { activeTraceId, safeReason, type ThrownErrorOptions, thrownError } from '@switchyard/telemetry';

/** How failures are written: see `thrownError`. */
export type ExplainOptions = ThrownErrorOptions;

/** More failures of steps and calls of one attempt are not kept: an agent may try a step again and again. */
const MAX_PARTS = 10;
/** Letters of a name, an id, or a text about a request to a model. */
const MAX_WORDS = 200;

/** Why the attempt of a turn failed, and its steps: for operators. Errors of agents are redacted before they are kept. */
export class TurnFailures {
  readonly #turn: OpenTurn;
  readonly #worker: string;
  readonly #options: ExplainOptions;
  #parts = 0;

  constructor(turn: OpenTurn, worker: string, options: ExplainOptions) {
    this.#turn = turn;
    this.#worker = worker;
    this.#options = options;
  }

  /** @param retryAfterMs time to the next attempt */
  report(fault: TurnFault, retryAfterMs?: number): FailureReport {
    const { text, error, place } = thrownError(fault.error, this.#options);
    const kind = isOverLimit(fault.error) ? 'over-limit' : fault.kind;
    return {
      ...this.#where(),
      kind,
      message: text,
      error: fault.error instanceof CallError ? { ...error, code: fault.error.kind } : error,
      ...(place && { place }),
      ...(fault.error instanceof CallError && calledTask(fault.error)),
      ...(retryAfterMs !== undefined && { retryAfterMs: Math.round(retryAfterMs) }),
    };
  }

  /** Why the turn failed that ends with this event; undefined: it has not failed. */
  ofOutcome({ state, settles, fault, message }: StatusEvent): FailureReport | undefined {
    if (!settles || (state !== 'TASK_STATE_FAILED' && state !== 'TASK_STATE_REJECTED')) return undefined;
    if (fault) return this.report(fault);
    const said = message?.parts.flatMap(({ text = '' }) => (text === '' ? [] : [text])).join(' ') ?? '';
    const word = state === 'TASK_STATE_FAILED' ? 'failed' : 'rejected';
    const text = said === '' ? `The agent ended the task as ${word}, without a text.` : said;
    return { ...this.#where(), kind: 'ended-by-agent', message: safeReason(text, this.#options.secrets) };
  }

  /** Keeps why an attempt at a step failed, before the next one. Never rejects. @param retryAfterMs time to that one */
  async stepFailed(name: string, error: unknown, retryAfterMs?: number): Promise<void> {
    if (error instanceof TurnEnded || error instanceof TurnInterruption || ++this.#parts > MAX_PARTS) return;
    await this.#keep({ ...this.report(faultOf(error), retryAfterMs), of: 'step', name });
  }

  /** Keeps why a call failed, before the agent may go on without its reply. Never rejects. */
  async callFailed(agent: string, error: unknown): Promise<void> {
    if (error instanceof TurnEnded || error instanceof TurnInterruption || ++this.#parts > MAX_PARTS) return;
    const name = safeReason(agent, this.#options.secrets).slice(0, MAX_WORDS);
    await this.#keep({ ...this.report(faultOf(error)), of: 'call', name });
  }

  /** A request to a model, made safe to keep. */
  modelCall(call: ModelCall, microUsd?: number): NotedModelCall {
    const { model, durationMs, inputTokens, outputTokens, cachedTokens, reasoningTokens, finishReason, error } = call;
    const why = error === undefined ? undefined : thrownError(error, this.#options).text.slice(0, MAX_WORDS);
    return {
      at: new Date().toISOString(),
      model: safeReason(String(model), this.#options.secrets).slice(0, MAX_WORDS),
      durationMs: Math.max(0, Math.round(durationMs)),
      inputTokens: countOf(inputTokens),
      outputTokens: countOf(outputTokens),
      cachedTokens: countOf(cachedTokens),
      reasoningTokens: countOf(reasoningTokens),
      microUsd,
      finishReason: typeof finishReason === 'string' ? finishReason.slice(0, MAX_WORDS) : undefined,
      error: why,
    };
  }

  /** Keeps an error of the agent after its outcome. */
  threwAfterOutcome(error: unknown): Promise<void> {
    return this.#keep(this.report(faultOf(error)));
  }

  /** Without Redis, the log has the error nevertheless. */
  async #keep(report: FailureReport): Promise<void> {
    await this.#turn.recordFailure(report).catch(() => undefined);
  }

  #where() {
    const { attempt, requestId } = this.#turn.start;
    const traceId = activeTraceId();
    return {
      attempt,
      worker: this.#worker,
      ...(requestId !== undefined && { requestId }),
      ...(traceId !== undefined && { traceId }),
    };
  }
}

/** `turn.join` takes any text as the id of a task. */
const calledTask = ({ taskId }: CallError): Pick<FailureReport, 'calledTask'> =>
  taskId === undefined || taskId.length > MAX_WORDS ? {} : { calledTask: taskId };

/** What a server says may be anything. */
const countOf = (given: unknown): number | undefined =>
  Number.isSafeInteger(given) && Number(given) >= 0 ? Number(given) : undefined;

/** The store refused what the agent wrote: see `mapStoreErrors`. */
function isOverLimit(error: unknown): boolean {
  const { cause } = error instanceof Error ? error : {};
  return [TooManyArtifacts, TaskTooLarge, TooManyResults, MemoryTooLarge].some((limit) => cause instanceof limit);
}
