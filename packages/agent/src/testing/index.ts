export type { AttemptOptions, SteeringMessage } from './attempts.ts';
export { MemoryPort, type MemoryTurn } from './memory-port.ts';
export { type RunTurnOptions, runTurn, type TestedTurn, type TestedWait } from './run-turn.ts';
export { summaryOf, type TaskSummary } from './task-summary.ts';
export type { TestEvent } from './timed-events.ts';
