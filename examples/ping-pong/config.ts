const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL = 'gpt-4o-mini', MAX_TURNS = '5' } = process.env;

/** The model in the environment; undefined if there is none. */
export const modelFromEnvironment =
  OPENAI_API_KEY || OPENAI_BASE_URL
    ? { model: OPENAI_MODEL, apiKey: OPENAI_API_KEY ?? 'none', baseURL: OPENAI_BASE_URL ?? 'https://api.openai.com/v1' }
    : undefined;

/** The highest number of a turn. */
export const maxTurns = Number(MAX_TURNS);
