export { AgentIndexes } from './agent-indexes.ts';
export { InterruptedTasks } from './interrupted-tasks.ts';
export { Room } from './room.ts';
