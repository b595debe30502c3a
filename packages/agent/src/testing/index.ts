export type { ReadableWait } from '../port/wait-port.ts';
export type { AttemptOptions, SteeringMessage } from './attempts.ts';
export { MemoryPort, type MemoryTurn } from './memory-port.ts';
export { type RunTurnOptions, runTurn, type TestedTurn } from './run-turn.ts';
export { summaryOf, type TaskSummary } from './task-summary.ts';
export type { TestEvent } from './timed-events.ts';
