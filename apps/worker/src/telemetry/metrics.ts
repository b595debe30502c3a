import { cardUrlOf, REMOTE_AGENTS, type StoreObserver } from '@switchyard/store';
import { Metrics, type Rendered } from '@switchyard/telemetry';
import type { WorkerEvent } from './events.ts';

/** Sources of metrics other than events. */
export interface Measured {
  /** Number of running turns, by agent. */
  readonly runningTurns: () => ReadonlyMap<string, number>;
  readonly observe: (observer: StoreObserver) => void;
}

/** More models are counted together. */
const MAX_MODELS = 50;

/** A worker's metrics for Prometheus. */
export class WorkerMetrics {
  readonly #metrics = new Metrics('worker');
  /** Names of models that are labels. */
  readonly #models = new Set<string>();
  /** What was in FILES_URL at the last look. */
  #files: Extract<WorkerEvent, { kind: 'files-swept' }> | undefined;

  measure({ runningTurns, observe }: Measured): void {
    observe({ appended: (ms) => this.#metrics.observe('switchyard_append_duration_seconds', ms / 1_000, {}) });
    this.#metrics.collect('switchyard_stored_files', (set) => this.#files && set(this.#files.count, {}));
    this.#metrics.collect('switchyard_stored_file_bytes', (set) => this.#files && set(this.#files.bytes, {}));
    this.#metrics.collect('switchyard_running_turns', (set) => {
      for (const [agent, count] of runningTurns()) set(count, { agent });
    });
  }

  readonly count = (event: WorkerEvent): void => {
    const metrics = this.#metrics;
    switch (event.kind) {
      case 'push-answered':
        metrics.observe('switchyard_push_delivery_duration_seconds', event.durationMs / 1_000, {
          outcome: event.outcome,
        });
        break;
      case 'push-delivered':
      case 'push-failed':
      case 'push-dead-letter':
      case 'push-ended':
        metrics.count('switchyard_push_deliveries_total', { outcome: event.kind.slice('push-'.length) });
        break;
      case 'started':
        for (const agent of [...event.agents, REMOTE_AGENTS]) this.#countNone(agent);
        break;
      case 'swept':
        metrics.count('switchyard_swept_total', { what: 'silent' }, event.added);
        metrics.count('switchyard_swept_total', { what: 'canceled' }, event.canceled);
        break;
      case 'model-used':
        this.#countModel(event);
        break;
      case 'room-made':
        metrics.count('switchyard_tasks_dropped_total', {}, event.dropped);
        break;
      case 'files-swept':
        this.#files = event;
        break;
      case 'task-not-archived':
        metrics.count('switchyard_tasks_not_archived_total', {});
        break;
      case 'scheduled-task-begun':
        metrics.observe('switchyard_schedule_delay_seconds', event.lateMs / 1_000, {});
        break;
      case 'message-rejected':
        metrics.count('switchyard_messages_rejected_total', { agent: event.agent });
        break;
      case 'job-failed':
        metrics.count('switchyard_errors_total', { kind: event.kind });
        break;
      case 'error':
        metrics.count('switchyard_errors_total', { kind: event.where });
        break;
      default:
        this.#countTurn(event);
    }
  };

  /** @param accept the `Accept` header */
  render(accept?: string): Promise<Rendered> {
    return this.#metrics.render(accept);
  }

  /**
   * A counter that alerts read begins with 0: Prometheus' `increase` takes the first value of a series for its start, so
   * that the turns of the first lost worker would not count.
   */
  #countNone(agent: string): void {
    this.#metrics.count('switchyard_turns_taken_over_total', { agent }, 0);
    this.#metrics.count('switchyard_tasks_dropped_total', {}, 0);
    this.#metrics.count('switchyard_tasks_not_archived_total', {}, 0);
    for (const what of ['silent', 'canceled']) this.#metrics.count('switchyard_swept_total', { what }, 0);
  }

  #countModel(event: Extract<WorkerEvent, { kind: 'model-used' }>): void {
    const agent = labelOf(event.agent);
    // What a server calls its model may be anything.
    if (this.#models.size < MAX_MODELS) this.#models.add(event.model);
    const model = this.#models.has(event.model) ? event.model : 'other';
    this.#metrics.count('switchyard_model_tokens_total', { agent, model, type: 'input' }, event.inputTokens);
    this.#metrics.count('switchyard_model_tokens_total', { agent, model, type: 'output' }, event.outputTokens);
    this.#metrics.count('switchyard_model_cost_usd_total', { agent, model }, (event.microUsd ?? 0) / 1_000_000);
  }

  #countTurn(event: WorkerEvent): void {
    const metrics = this.#metrics;
    const agent = 'agent' in event ? labelOf(event.agent) : '';
    if (event.kind === 'turn-taken-over') metrics.count('switchyard_turns_taken_over_total', { agent });
    else if (event.kind === 'turn-fenced') metrics.count('switchyard_fenced_writes_total', { agent });
    else if (event.kind === 'turn-given-up') metrics.count('switchyard_turns_given_up_total', { agent });
    else if (event.kind === 'first-event')
      metrics.observe('switchyard_time_to_first_event_seconds', event.afterMs / 1_000, { agent });
    if ('waitedMs' in event && event.waitedMs !== undefined)
      metrics.observe('switchyard_queue_wait_seconds', event.waitedMs / 1_000, { agent });
    // A turn that was given up before it began has no duration.
    if ('outcome' in event && event.outcome !== undefined && 'durationMs' in event)
      metrics.observe('switchyard_turn_duration_seconds', (event.durationMs ?? 0) / 1_000, {
        agent,
        outcome: event.outcome,
      });
  }
}

/** The label for an agent. Agents that are called by URL share one label, because their number is unbounded. */
export function labelOf(agent: string): string {
  return cardUrlOf(agent) === undefined ? agent : REMOTE_AGENTS;
}
