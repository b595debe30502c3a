export type { WorkerEvent } from './telemetry/events.ts';
export { Worker, type WorkerSettings } from './worker.ts';
