export type { Emit, WorkerEvent } from './telemetry/events.ts';
export { Worker, type WorkerParts, type WorkerSettings } from './worker.ts';
