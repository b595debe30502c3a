import { A2AError as SdkError, toJsonRpcError } from '@a2a-js/sdk/errors';
import { A2AError, a2aErrorCodes, invalidParams, jsonRpcCodes } from '@switchyard/protocol';

/**
 * What the SDK's translation refuses, as one of ours. Ours pass as they are, and so does what else was thrown.
 * @param isRequestsFault whatever else was thrown came of the request: it was being translated
 */
export function fromSdkError(thrown: unknown, isRequestsFault: boolean): unknown {
  if (thrown instanceof A2AError) return thrown;
  if (thrown instanceof SdkError) {
    const { code, message } = toJsonRpcError(thrown);
    const ours = a2aErrorCodes.find((candidate) => jsonRpcCodes[candidate] === code) ?? 'InvalidParams';
    return new A2AError(ours, message, { cause: thrown });
  }
  if (isRequestsFault)
    return invalidParams([{ field: 'params', description: 'is not what version 0.3 has here' }], thrown);
  return thrown;
}
