import { z } from 'zod';

const words = z.array(z.string()).catch([]);
const skillSchema = z.object({
  id: z.string().catch(''),
  name: z.string().catch(''),
  description: z.string().catch(''),
  tags: words,
  examples: words,
});

/** The shown fields of an agent card. Agents may announce less than A2A requires. */
const cardSchema = z.object({
  description: z.string().catch(''),
  skills: z.array(skillSchema).catch([]),
  defaultInputModes: words,
  defaultOutputModes: words,
});

export type ShownCard = z.infer<typeof cardSchema>;

export function readCard(card: unknown): ShownCard {
  return cardSchema.parse(Object(card));
}
