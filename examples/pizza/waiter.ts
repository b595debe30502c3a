/** The scripted model's view of a conversation. */
export interface ConversationLine {
  readonly role: string;
  readonly content: string;
}

/** The desk's answer: the pizza, or a question. */
export interface Order {
  readonly pizza: string;
  readonly question: string;
}

const menu: Readonly<Record<string, RegExp>> = {
  Hawaiian: /pineapple|hawai/i,
  Margherita: /margh?erita/i,
  Salami: /salami|pepperoni/i,
  Funghi: /funghi|mushroom/i,
  'Quattro Formaggi': /formaggi|cheese/i,
};

/** Takes an order like a model: asks, offers the menu if the answer is not a pizza, and recognises one. */
export function takeOrder(conversation: readonly ConversationLine[]): Order {
  const wishes = conversation.filter(({ role }) => role === 'user').reverse();
  for (const { content } of wishes) {
    const pizza = Object.keys(menu).find((kind) => menu[kind]?.test(content));
    if (pizza) return { pizza, question: '' };
  }
  const hasAsked = conversation.some(({ role }) => role === 'assistant');
  return { pizza: '', question: hasAsked ? `We have ${Object.keys(menu).join(', ')}. Which one?` : 'What kind?' };
}
