import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { WorkerEvent } from './events.ts';

/** From 10 ms to an hour, in seconds: turns are as long as agents like. */
const SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3_600];

/** Counts what happens in a worker, for Prometheus. */
export class WorkerMetrics {
  readonly #registry = new Registry();
  readonly #turns: Histogram<'agent' | 'outcome'>;
  readonly #pushes: Counter<'outcome'>;
  readonly #errors: Counter<'kind'>;
  readonly #swept: Counter<'what'>;

  constructor() {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry, prefix: 'switchyard_worker_' });
    this.#turns = new Histogram({
      name: 'switchyard_turn_duration_seconds',
      help: 'Turns by agent and outcome: the state that the turn led to, or retry, failed, interrupted (by what), waiting-for-auth.',
      labelNames: ['agent', 'outcome'],
      buckets: SECONDS,
      registers,
    });
    this.#pushes = new Counter({
      name: 'switchyard_push_deliveries_total',
      help: 'Deliveries to webhooks: delivered, failed (tried again), dead-letter (given up), ended (the receiver wants no more).',
      labelNames: ['outcome'],
      registers,
    });
    this.#swept = new Counter({
      name: 'switchyard_swept_total',
      help: 'What the sweeper found: silent tasks whose job was added again, cancels whose worker is gone.',
      labelNames: ['what'],
      registers,
    });
    this.#errors = new Counter({
      name: 'switchyard_errors_total',
      help: 'What should not happen often: jobs that failed, errors of Redis.',
      labelNames: ['kind'],
      registers,
    });
  }

  readonly count = (event: WorkerEvent): void => {
    switch (event.kind) {
      case 'turn-ended':
      case 'turn-given-back':
      case 'turn-fenced':
      case 'turn-given-up':
        // One that was given up before it began took no time.
        if (event.outcome !== undefined)
          this.#turns.observe({ agent: event.agent, outcome: event.outcome }, (event.durationMs ?? 0) / 1_000);
        break;
      case 'push-delivered':
      case 'push-failed':
      case 'push-dead-letter':
      case 'push-ended':
        this.#pushes.inc({ outcome: event.kind.slice('push-'.length) });
        break;
      case 'swept':
        this.#swept.inc({ what: 'silent' }, event.add);
        this.#swept.inc({ what: 'canceled' }, event.canceled);
        break;
      case 'job-failed':
        this.#errors.inc({ kind: event.kind });
        break;
      case 'error':
        this.#errors.inc({ kind: event.where });
    }
  };

  /** In the text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
