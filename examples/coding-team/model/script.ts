import type { Plan } from '../team/plan.ts';

/** A message to the model. */
export interface ChatMessage {
  readonly role: string;
  readonly content: string;
}

const plan: Plan = {
  summary: 'A login system: a page, and a service that checks who you are.',
  analysis: 'People have to prove who they are, and be told kindly when they cannot.',
  product: {
    instructions: 'Write down what a login system has to do.',
    successCriteria: ['Every requirement can be tested'],
    approach: ['Name the people who log in', 'Write the requirements'],
  },
  design: {
    instructions: 'Describe the page on which people log in.',
    successCriteria: ['It works on a phone', 'It works without a mouse'],
    approach: ['List what is on the page', 'Say what happens when it goes wrong'],
  },
  frontend: {
    instructions: 'Build the login page.',
    successCriteria: ['It sends what the service expects'],
    approach: ['Read the specifications', 'Write the page'],
  },
  backend: {
    instructions: 'Build the service that takes the login.',
    successCriteria: ['Passwords are never stored as they are'],
    approach: ['Make a table of users', 'Write the endpoint'],
  },
};

/** The scripted model's answers, by system prompt. */
const lines: readonly (readonly [RegExp, string])[] = [
  [/lead a team .* Plan/s, JSON.stringify(plan)],
  [
    /has done its work/,
    'The login system is built: the page sends email and password to POST /api/login, which checks them.',
  ],
  [/colleague asks/, 'POST /api/login takes email and password.'],
  [/product manager/, '# Requirements\n\n- People log in with email and password.\n- After five failures they wait.\n'],
  [/designer/, '# Design\n\nA form with two fields and one button. Errors stand below the field.\n'],
];

export function scriptedAnswer(messages: readonly ChatMessage[]): string {
  const system = messages.find(({ role }) => role === 'system')?.content ?? '';
  return lines.find(([about]) => about.test(system))?.[1] ?? 'I have nothing to say about that.';
}
