export type { Happening, Observe } from './observe.ts';
export { Worker, type WorkerParts, type WorkerSettings } from './worker.ts';
