export { AgentIndexes } from './agent-indexes.ts';
export { type MadeRoom, Room } from './room.ts';
