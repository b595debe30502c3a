import { untimedFetch } from '@switchyard/outgoing';
import OpenAI from 'openai';

/** The address of the model. */
export interface ModelConnection {
  /** For example `http://127.0.0.1:11434/v1`. Default: OpenAI's own. */
  readonly baseURL?: string;
  /** Default: none, which local servers accept. */
  readonly apiKey?: string;
}

/**
 * Sets every option of the client: it would otherwise read the environment, log to the console, and retry by itself,
 * although the queue does.
 */
export function openClient({ baseURL = 'https://api.openai.com/v1', apiKey = 'none' }: ModelConnection): OpenAI {
  return new OpenAI({
    baseURL,
    apiKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    maxRetries: 0,
    // The limit is `timeoutMs`; the client's own would be ten minutes, and that of Node's `fetch` 300 s without data.
    timeout: 2 ** 31 - 1,
    fetch: untimedFetch,
    logLevel: 'off',
  });
}
