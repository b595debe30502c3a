import { defineAgent } from '@switchyard/agent';
import { offers, requiresExtension } from './config.ts';
import { scenarioOf } from './scenarios.ts';

const optional = {
  uri: 'https://example.com/extensions/conformance/v1',
  description: 'Changes nothing: it is there to be asked for.',
  required: false,
};
const required = {
  uri: 'urn:a2a:tck:required-extension',
  description: 'Changes nothing, but no message is taken without it.',
  required: true,
};

/** The agent for the official compatibility kit: the prefix of a message's id names the scenario. */
export default defineAgent({
  id: 'conformance',
  concurrency: 200,
  card: {
    name: 'Conformance',
    description: 'Does what the A2A compatibility kit (a2aproject/a2a-tck) asks for.',
    version: '1.0.0',
    provider: { organization: 'Switchyard', url: 'https://example.com/switchyard' },
    capabilities: {
      streaming: offers('streaming'),
      pushNotifications: offers('push'),
      extendedAgentCard: true,
      ...(offers('extensions') && { extensions: requiresExtension ? [optional, required] : [optional] }),
    },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [
      {
        id: 'conformance',
        name: 'Conformance',
        description: 'Follows the scenarios of the compatibility kit.',
        tags: ['test'],
        examples: ['Hello'],
      },
    ],
  },
  execute: (turn) => scenarioOf(turn.message.messageId)(turn),
});
