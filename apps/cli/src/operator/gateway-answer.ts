import { CommandFailure } from '../failures/failure.ts';

export const isOperatorsPort =
  'Is it the operators’ port of a gateway, ADMIN_HOST and ADMIN_PORT? Set SWITCHYARD_OPERATOR_URL to it.';

/**
 * Refuses an answer that no gateway gives: the address is that of another server, or of a proxy that does not reach the
 * gateway. @throws {CommandFailure}
 */
export function requireGatewayAnswer(response: Response, wanted: string | null): Response {
  const { status, statusText, url, headers } = response;
  const { origin } = new URL(url);
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  if (status === 204 || type === (response.ok ? wanted : 'application/json') || wanted === '*/*') return response;
  const said = [`HTTP ${status}`, statusText].filter(Boolean).join(' ');
  if (status >= 500)
    throw new CommandFailure('A2ACLI_ERR_UNREACHABLE', `${origin} answered ${said}, which is not from a gateway`, {
      a2aCode: status,
      hint: 'Does a proxy stand before the gateway, and does the gateway run?',
    });
  const details = { a2aCode: status, hint: isOperatorsPort };
  const failure = `${origin} is no operators' port: it sent`;
  if (status >= 300 && status < 400)
    throw new CommandFailure('A2ACLI_ERR_UNREACHABLE', `${failure} a redirect to ${targetOf(headers, url)}`, details);
  throw new CommandFailure('SWITCHYARD_ERR_UNKNOWN_ANSWER', `${failure} ${type || 'nothing'} (${said})`, details);
}

function targetOf(headers: Headers, base: string): string {
  const location = headers.get('location') ?? '';
  return URL.canParse(location, base) ? new URL(location, base).origin : 'another address';
}
