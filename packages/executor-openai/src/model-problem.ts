import { isBrokenStream, type ModelProblem } from '@switchyard/agent/models';
import { ResponseRefused } from '@switchyard/outgoing';
import { APIConnectionError, APIError } from 'openai';

/** What an error of OpenAI's SDK says. */
export function problemOf(error: unknown): ModelProblem | undefined {
  if (error instanceof APIConnectionError) return { kind: 'unreachable' };
  if (error instanceof APIError) {
    const { code, type, headers, requestID } = error;
    // An error after status 200, or in the middle of a stream, has a status only as its code (OpenRouter, LiteLLM).
    const status = error.status ?? statusIn(code);
    return { kind: 'refused', status, codes: [code, type], headers, requestId: requestID };
  }
  if (error instanceof ResponseRefused) return { kind: 'too-large' };
  return isBrokenStream(error) ? { kind: 'broken-off' } : undefined;
}

function statusIn(code: unknown): number | undefined {
  const status = Number(code);
  return status >= 400 && status < 600 ? status : undefined;
}
