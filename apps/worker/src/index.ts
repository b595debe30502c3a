export type { Emit, WorkerEvent } from './telemetry/events.ts';
export { Worker, type WorkerDependencies, type WorkerSettings } from './worker.ts';
