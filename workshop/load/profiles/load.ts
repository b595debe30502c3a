import type { SeededRandom } from '../../seeded-random.ts';
import type { A2AClient } from '../client/a2a-client.ts';
import type { Connections } from '../client/connections.ts';
import type { Latencies } from '../measure/latencies.ts';
import type { Recorder } from '../measure/recorder.ts';
import type { TaskLedger } from '../measure/task-ledger.ts';
import type { CommonOptions } from '../options.ts';

/** What a profile has to work with. */
export interface Load {
  readonly options: CommonOptions;
  /** The agent is ours, and understands what load/agents/load.ts says. */
  readonly isOwnAgent: boolean;
  readonly client: A2AClient;
  readonly connections: Connections;
  readonly recorder: Recorder;
  readonly tasks: TaskLedger;
  readonly random: SeededRandom;
  /** How late arrivals were begun. */
  readonly lateness: Latencies;
  /** Aborts when nothing new is to be begun: the time is over, or somebody stops it. */
  readonly over: AbortSignal;
  /** Aborts so long after that as clients may still ask what became of their tasks (`settleMs`). */
  readonly settled: AbortSignal;
  /** Aborts when nothing is to be waited for any more. */
  readonly halted: AbortSignal;
}
