import { defineAgent } from '@switchyard/agent';

/** Answers with the accepted output modes and extensions; has a skill for authenticated clients. */
export default defineAgent({
  id: 'insider',
  card: {
    name: 'Insider',
    description: 'Answers with the accepted output modes and extensions.',
    version: '1.0.0',
    skills: [{ id: 'tell', name: 'Tell', description: 'Answers everybody.', tags: ['test'] }],
    capabilities: { extensions: [{ uri: 'https://example.com/extensions/loud/v1' }] },
    defaultOutputModes: ['text/plain', 'application/json'],
  },
  extendedCard: {
    skills: [{ id: 'secret', name: 'Secret', description: 'Answers authenticated callers.', tags: ['inside'] }],
  },
  async execute(turn) {
    const { acceptedOutputModes, extensions } = turn;
    const known = { acceptedOutputModes, extensions };
    if (turn.accepts('application/json')) return turn.complete({ parts: [{ data: known }] });
    return turn.complete(JSON.stringify(known));
  },
});
