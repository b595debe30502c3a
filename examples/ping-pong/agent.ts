import { conversationsExtension, defineAgent } from '@switchyard/agent';
import { maxTurns } from './config.ts';
import { speaker } from './speaker.ts';

const speak = speaker('You arrange a lunch with a colleague. You are picky, but you want to be done soon.', [
  'Where shall we have lunch?',
  'Rather something lighter.',
  'At noon?',
]);

/** Talks to the target until they agree, then asks it to announce the result. */
export default defineAgent({
  id: 'requester',
  card: {
    name: 'Requester',
    description: 'Arranges a lunch with another agent, in a conversation that everybody can read.',
    version: '1.0.0',
    capabilities: { extensions: [conversationsExtension] },
    skills: [
      {
        id: 'arrange-lunch',
        name: 'Arrange a lunch',
        description: 'Talks to the target about your question until they agree.',
        tags: ['conversation'],
        examples: ['Where shall we have lunch?'],
      },
    ],
  },
  async execute(turn) {
    const { ended, error, conversationId } = await turn.holdConversation('target', {
      message: turn.text,
      maxTurns,
      timeoutMs: 60_000,
      reply: ({ texts }) => {
        const lines = texts.map((text, number) => ({ isOwn: number % 2 === 0, text }));
        return speak(lines, turn.signal);
      },
    });
    const link = { metadata: { conversationId } };
    if (ended === 'error') return turn.fail(`We could not agree: ${error}`, link);
    // Tells the user the result; not part of the conversation.
    const announcement = await turn.call('target', 'Announce what we agreed on.');
    return turn.complete(announcement.text, link);
  },
});
