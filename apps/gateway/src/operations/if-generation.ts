import {
  A2AError,
  type CancelTaskRequest,
  type SendMessageConfiguration,
  type SendMessageRequest,
} from '@switchyard/protocol';

/** Requests of A2A 1.1 can require a generation of the task; those of 1.0 cannot (docs/a2a-1-1.md). */
export interface ConditionalSend extends SendMessageRequest {
  configuration?: SendMessageConfiguration & IfGeneration;
}
export interface ConditionalCancel extends CancelTaskRequest, IfGeneration {}

interface IfGeneration {
  ifGenerationMatch?: number;
}

export function generationMismatch(
  taskId: string,
  { expected, current }: { readonly expected: number | undefined; readonly current: number },
): A2AError {
  const message = `Task generation mismatch: expected ${expected} but current generation is ${current}`;
  const metadata = { taskId, expectedGeneration: `${expected}`, currentGeneration: `${current}` };
  return new A2AError('TaskGenerationMismatch', message, { metadata });
}
