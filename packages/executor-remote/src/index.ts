export type { OAuth2Settings, RemoteAuth } from './auth/auth-settings.ts';
export { type AnnouncedCard, announcedCard, type RemoteAgentDefinition, remoteAgent } from './remote-agent.ts';
export { RemoteCardError } from './remote-card.ts';
export { remoteExecutor } from './remote-executor.ts';
export type { RemoteLocation, RemoteSettings } from './settings.ts';
