const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL = 'gpt-4o-mini' } = process.env;

/** The model in the environment; undefined if there is none. */
export const modelFromEnvironment =
  OPENAI_API_KEY || OPENAI_BASE_URL
    ? {
        model: OPENAI_MODEL,
        ...(OPENAI_API_KEY && { apiKey: OPENAI_API_KEY }),
        ...(OPENAI_BASE_URL && { baseURL: OPENAI_BASE_URL }),
      }
    : undefined;

/** The webhook that asks the manager; undefined: there is none. */
export function approvalsUrl(): string | undefined {
  return process.env.APPROVALS_URL || undefined;
}
