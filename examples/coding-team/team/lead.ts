import { openAiModel } from '@switchyard/executor-openai';
import { teamModel } from './model.ts';
import { type Plan, planSchema } from './plan.ts';

/** A member's result. */
export interface Contribution {
  readonly member: string;
  readonly text: string;
}

const planning = `You lead a team of software engineers: product, design, frontend and backend. Plan what each of them has to do
for the request of the client. Product writes down what is wanted, design how it looks, then frontend and backend build it.`;

const concluding = `You lead a team of software engineers that has done its work. Tell the client in a few sentences what was built,
and how its parts fit together.`;

/** Plans the work on a request. */
export async function makePlan(request: string, signal: AbortSignal): Promise<Plan> {
  const model = openAiModel(await teamModel());
  return model.value({ name: 'plan', schema: planSchema }, { system: planning, prompt: request, signal });
}

/** Combines the members' results. */
export async function conclude(request: string, made: readonly Contribution[], signal: AbortSignal): Promise<string> {
  const model = openAiModel(await teamModel());
  const parts = made.map(({ member, text }) => `## ${member}\n\n${text}`);
  return model.text({ system: concluding, prompt: [`# ${request}`, ...parts].join('\n\n'), signal });
}
