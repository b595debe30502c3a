/** What is to be carried, and how. */
export interface Load {
  readonly tasksPerSecond: number;
  /** Share of the tasks whose client waits for the end on the call that sent the message. */
  readonly waiting: number;
  readonly pollsPerSecond: number;
  readonly openStreams: number;
  /** Over all streams; each chunk goes to one subscriber. */
  readonly chunksPerSecond: number;
  /** How long a turn takes, most of it waiting for a model. */
  readonly turnSeconds: number;
  /** Turns that a worker runs at the same time. */
  readonly concurrency: number;
  /** Share of a core that is to be used; the rest is for peaks, and for what a fail-over leaves to others. */
  readonly utilisation: number;
  readonly retentionSeconds: number;
  readonly replaySeconds: number;
  /** Of each master. */
  readonly replicas: number;
}

export const defaultLoad: Load = {
  tasksPerSecond: 0,
  waiting: 0,
  pollsPerSecond: 0,
  openStreams: 0,
  chunksPerSecond: 0,
  turnSeconds: 1,
  concurrency: 100,
  utilisation: 0.6,
  retentionSeconds: 3_600,
  replaySeconds: 600,
  replicas: 1,
};

/** The same load, spread over so many deployments. */
export function shareOf(load: Load, deployments: number): Load {
  return {
    ...load,
    tasksPerSecond: load.tasksPerSecond / deployments,
    pollsPerSecond: load.pollsPerSecond / deployments,
    openStreams: load.openStreams / deployments,
    chunksPerSecond: load.chunksPerSecond / deployments,
  };
}
