export type { Happening, Observe } from './telemetry/events.ts';
export { Worker, type WorkerParts, type WorkerSettings } from './worker.ts';
