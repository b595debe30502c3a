import { conversationOf, conversationsExtension, defineAgent, endOfConversation, textOf } from '@switchyard/agent';
import { speaker } from './speaker.ts';

const speak = speaker('A colleague asks you about lunch. You like noodles, but you are easy to convince.', [
  'The noodle place?',
  'The salad bar, then.',
  'At noon. See you there.',
]);

/** Answers in conversations; outside of one, announces the agreement. */
export default defineAgent({
  id: 'target',
  card: {
    name: 'Target',
    description: 'Somebody to have lunch with.',
    version: '1.0.0',
    capabilities: { extensions: [conversationsExtension] },
    skills: [{ id: 'talk', name: 'Talk', description: 'Talks about lunch.', tags: ['conversation'] }],
  },
  async execute(turn) {
    const place = conversationOf(turn.message);
    if (!place) return turn.complete(`It is agreed: ${(await turn.memory.get<string>()) ?? 'nothing at all.'}`);
    // The last message of the other agent needs no answer.
    if (place.turn === place.maxTurns) return turn.complete();
    const lines = turn.history.map((message) => ({ isOwn: message.role === 'ROLE_AGENT', text: textOf(message) }));
    const text = await turn.step('answer', () => speak(lines, turn.signal));
    if (text === endOfConversation) return turn.complete(text);
    await turn.memory.set(text);
    // The task stays open for the next turn, so that its history has the whole conversation.
    return place.turn + 1 < place.maxTurns ? turn.requireInput(text) : turn.complete(text);
  },
});
