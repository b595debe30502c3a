const {
  API_KEY,
  OPENAI_API_KEY,
  OPENAI_BASE_URL,
  OPENAI_MODEL = 'gpt-4o-mini',
  SWITCHYARD_URL = 'http://127.0.0.1:4000',
} = process.env;

/** The model that the environment names; undefined when it names none. */
export const modelFromEnvironment =
  OPENAI_API_KEY || OPENAI_BASE_URL
    ? {
        model: OPENAI_MODEL,
        ...(OPENAI_API_KEY && { apiKey: OPENAI_API_KEY }),
        ...(OPENAI_BASE_URL && { baseURL: OPENAI_BASE_URL }),
      }
    : undefined;

/** Where the chat client finds its agent, and what it shows there. */
export const agentUrl = SWITCHYARD_URL;
export const apiKey = API_KEY;
