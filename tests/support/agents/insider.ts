import { defineAgent } from '@switchyard/agent';

/** Answers with the accepted output modes and extensions; has a skill for authenticated clients. */
export default defineAgent({
  id: 'insider',
  card: {
    name: 'Insider',
    description: 'Says what it was told about the answer.',
    version: '1.0.0',
    skills: [{ id: 'tell', name: 'Tell', description: 'Tells what it knows.', tags: ['test'] }],
    capabilities: { extensions: [{ uri: 'https://example.com/extensions/loud/v1' }] },
    defaultOutputModes: ['text/plain', 'application/json'],
  },
  extendedCard: {
    skills: [{ id: 'secret', name: 'Secret', description: 'Tells what nobody else knows.', tags: ['inside'] }],
  },
  async execute(turn) {
    const { acceptedOutputModes, extensions } = turn;
    const known = { acceptedOutputModes, extensions };
    if (turn.accepts('application/json')) return turn.complete({ parts: [{ data: known }] });
    return turn.complete(JSON.stringify(known));
  },
});
