import Anthropic from '@anthropic-ai/sdk';
import { untimedFetch } from '@switchyard/outgoing';

/** The address of the model. */
export interface ModelConnection {
  /** Default: Anthropic's own. */
  readonly baseURL?: string;
  readonly apiKey?: string;
  /**
   * A client of your own instead, for example of `@anthropic-ai/bedrock-sdk` or `@anthropic-ai/vertex-sdk`. Its own
   * retries and time limit are not used.
   */
  readonly client?: ModelSource;
}

/** What is used of a client of the SDK. */
export interface ModelSource {
  readonly messages: Pick<Anthropic['messages'], 'create'>;
  readonly baseURL: string;
  readonly apiKey?: unknown;
}

/**
 * Sets every option of the client: it would otherwise read the environment and the files of its command line, log to
 * the console, and retry by itself, although the queue does.
 */
export function openClient({ baseURL = 'https://api.anthropic.com', apiKey = 'none' }: ModelConnection): Anthropic {
  return new Anthropic({
    baseURL,
    apiKey,
    authToken: null,
    webhookKey: null,
    maxRetries: 0,
    fetch: untimedFetch,
    logLevel: 'off',
  });
}
