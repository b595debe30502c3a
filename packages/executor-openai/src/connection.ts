import OpenAI from 'openai';

/** Where the model is. */
export interface ModelConnection {
  /** For example `http://127.0.0.1:11434/v1`. Default: OpenAI's own. */
  readonly baseURL?: string;
  /** Default: none, which local servers accept. */
  readonly apiKey?: string;
}

/**
 * Everything is said here: the client would otherwise read the process' environment, log to the console, and retry
 * beside the queue.
 */
export function openClient({ baseURL = 'https://api.openai.com/v1', apiKey = 'none' }: ModelConnection): OpenAI {
  return new OpenAI({
    baseURL,
    apiKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
  });
}
