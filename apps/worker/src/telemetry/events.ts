import type { TurnResult } from '@switchyard/agent';

/** What happens in a worker, by name: `log.ts` and `metrics.ts` turn it into log lines and figures. */
export type WorkerEvent =
  | { readonly kind: 'started'; readonly workerId: string; readonly agents: readonly string[] }
  | { readonly kind: 'stopping'; readonly running: number }
  | { readonly kind: 'stopped' | 'stop-given-up' }
  | { readonly kind: 'measuring'; readonly port: number }
  | { readonly kind: 'draining'; readonly by: string | undefined }
  | { readonly kind: 'drain-ended' }
  | { readonly kind: 'turn-begun'; readonly agent: string; readonly taskId: string; readonly attempt: number }
  | {
      readonly kind: 'turn-ended';
      readonly agent: string;
      readonly taskId: string;
      readonly attempt: number;
      readonly result: TurnResult;
      readonly durationMs: number;
    }
  | { readonly kind: 'job-without-turn'; readonly agent: string; readonly taskId: string; readonly verdict: string }
  | { readonly kind: 'job-failed'; readonly agent: string; readonly taskId: string; readonly error: unknown }
  | { readonly kind: 'swept'; readonly add: number; readonly canceled: number }
  | { readonly kind: 'orphans-canceled'; readonly canceled: number }
  | { readonly kind: 'unhandled-rejection'; readonly agent: string; readonly taskId: string; readonly error: unknown }
  | { readonly kind: 'module-changed'; readonly path: string }
  | { readonly kind: 'change-refused'; readonly isServed: boolean }
  | { readonly kind: 'worker-died'; readonly code: string }
  | ({ readonly kind: 'push-failed'; readonly retryInMs: number } & PushFailure)
  | ({ readonly kind: 'push-dead-letter' } & PushFailure)
  | ({ readonly kind: 'push-delivered' | 'push-ended' } & PushName)
  | { readonly kind: 'error'; readonly where: string; readonly error: unknown };

/** Which webhook. Of its address no more than the origin: the rest may be secret. */
interface PushName {
  readonly taskId: string;
  readonly configId: string;
  readonly origin: string;
}

interface PushFailure extends PushName {
  readonly reason: string;
  readonly attempts: number;
}

export type Emit = (event: WorkerEvent) => void;
