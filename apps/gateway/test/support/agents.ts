import type { AgentCard } from '@switchyard/protocol';
import type { AgentAnnouncement } from '@switchyard/store';

export const card: AgentCard = {
  name: 'Echo',
  description: 'Says what it hears',
  version: '1.2.3',
  supportedInterfaces: [],
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Says what it hears', tags: ['test'] }],
};

/** `echo` streams, `oracle` may answer with a plain message, `mute` does not stream. */
export const agents: readonly AgentAnnouncement[] = [
  { id: 'echo', card, repliesWithMessage: false, concurrency: 1 },
  {
    id: 'mute',
    card: { ...card, name: 'Mute', capabilities: { streaming: false } },
    repliesWithMessage: false,
    concurrency: 1,
  },
  { id: 'oracle', card: { ...card, name: 'Oracle' }, repliesWithMessage: true, concurrency: 1 },
];
