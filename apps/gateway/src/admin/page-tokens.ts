import { invalidParams } from '@switchyard/protocol';

/**
 * The next page of an answer is in the deployment of the answer: its page token says which one that is.
 * @param deployment unset: there is one, or the answer is about all
 */
export function withTokenOf<Answer extends object>(answer: Answer, deployment: number | undefined): Answer {
  if (deployment === undefined || !('nextPageToken' in answer) || !answer.nextPageToken) return answer;
  return { ...answer, nextPageToken: `${deployment}.${answer.nextPageToken}` };
}

/**
 * Parameters with the page token as the deployment has made it.
 * @throws {A2AError} InvalidParams: it is of another deployment
 */
export function withOwnToken<Parameters>(parameters: Parameters, deployment: number | undefined): Parameters {
  if (deployment === undefined || !hasToken(parameters)) return parameters;
  const [, number, pageToken] = /^(\d{1,3})\.(.*)$/.exec(parameters.pageToken) ?? [];
  if (number === String(deployment)) return { ...parameters, pageToken };
  const description =
    number === undefined
      ? 'is not a page token of this list'
      : `is of deployment ${number}, and this request is about deployment ${deployment}`;
  throw invalidParams([{ field: 'pageToken', description }]);
}

function hasToken(parameters: unknown): parameters is { readonly pageToken: string } {
  const { pageToken }: { readonly pageToken?: unknown } = Object(parameters);
  return typeof pageToken === 'string' && pageToken !== '';
}
