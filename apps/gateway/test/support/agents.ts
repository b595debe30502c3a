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

/** An extension that `guest` supports, and one that `strict` requires. */
export const offered = 'https://example.com/extensions/offered/v1';
export const needed = 'https://example.com/extensions/needed/v1';

/**
 * `echo` streams, `oracle` may answer with a plain message, `mute` neither streams nor notifies; `guest` and `strict`
 * have extensions, `painter` takes pictures and JSON and makes pictures; `omnivore` accepts every media type; `insider`
 * has an extended card, `braggart` declares one but has none; `baker` works on an input with a schema.
 */
export const agents: readonly AgentAnnouncement[] = [
  { id: 'echo', card, repliesWithMessage: false, concurrency: 1 },
  {
    id: 'mute',
    card: { ...card, name: 'Mute', capabilities: { streaming: false, pushNotifications: false } },
    repliesWithMessage: false,
    concurrency: 1,
  },
  { id: 'oracle', card: { ...card, name: 'Oracle' }, repliesWithMessage: true, concurrency: 1 },
  {
    id: 'guest',
    card: { ...card, name: 'Guest', capabilities: { extensions: [{ uri: offered }, { uri: needed }] } },
    repliesWithMessage: false,
    concurrency: 1,
  },
  {
    id: 'strict',
    card: {
      ...card,
      name: 'Strict',
      capabilities: { extensions: [{ uri: offered }, { uri: needed, required: true }] },
    },
    repliesWithMessage: false,
    concurrency: 1,
  },
  {
    id: 'painter',
    card: {
      ...card,
      name: 'Painter',
      defaultInputModes: ['image/*'],
      defaultOutputModes: ['image/png'],
      skills: [{ id: 'paint', name: 'Paint', description: 'Paints', tags: [], inputModes: ['application/json'] }],
    },
    repliesWithMessage: false,
    concurrency: 1,
  },
  {
    id: 'omnivore',
    card: { ...card, name: 'Omnivore', defaultInputModes: ['*/*'] },
    repliesWithMessage: false,
    concurrency: 1,
  },
  {
    id: 'insider',
    card: { ...card, name: 'Insider' },
    extendedCard: {
      ...card,
      name: 'Insider',
      skills: [...card.skills, { id: 'secret', name: 'Secret', description: 'Not for everybody', tags: ['inside'] }],
    },
    repliesWithMessage: false,
    concurrency: 1,
  },
  {
    id: 'baker',
    card: { ...card, name: 'Baker', defaultInputModes: ['application/json', 'text/plain'] },
    repliesWithMessage: false,
    concurrency: 1,
    inputSchema: {
      type: 'object',
      properties: {
        size: { type: 'string', enum: ['small', 'large'] },
        number: { type: 'integer', minimum: 1, maximum: 9 },
        to: { type: 'object', properties: { street: { type: 'string', minLength: 3 } }, required: ['street'] },
        code: { type: 'string', pattern: '^(a+)+$' },
      },
      required: ['size', 'to'],
      additionalProperties: false,
    },
  },
  {
    id: 'braggart',
    card: { ...card, name: 'Braggart', capabilities: { extendedAgentCard: true } },
    repliesWithMessage: false,
    concurrency: 1,
  },
];
