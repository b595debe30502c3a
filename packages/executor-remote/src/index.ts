export { announcedCard, type RemoteAgentDefinition, remoteAgent } from './remote-agent.ts';
export { remoteExecutor } from './remote-executor.ts';
export type { RemoteLocation, RemoteSettings } from './settings.ts';
