export { AgentIndexes } from './agent-indexes.ts';
export { Room } from './room.ts';
