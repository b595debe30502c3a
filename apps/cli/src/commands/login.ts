import { type Command, Option } from 'commander';
import { fetchCard } from '../agent/connect.ts';
import { callFailure } from '../failures/call-failure.ts';
import { CommandFailure } from '../failures/failure.ts';
import { byAuthorizationCode } from '../login/authorization-code.ts';
import { byDeviceCode } from '../login/device-code.ts';
import { identityFetch } from '../login/identity-fetch.ts';
import { KeptLogins, type Login } from '../login/kept-logins.ts';
import { withTokens } from '../login/login-of.ts';
import { originsOf, requireTls } from '../login/login-origins.ts';
import type { Listen } from '../login/loopback-redirect.ts';
import { type SignIn, signInOf } from '../login/sign-in.ts';
import type { IdentityClient, LoginContext, Tokens } from '../login/token-request.ts';
import { field } from '../output/labelled-text.ts';
import { localTime } from '../output/local-time.ts';
import { askText } from '../session/ask.ts';
import { permitCredentials } from '../session/permit-credentials.ts';
import { type Invocation, openSession, type Session } from '../session/session.ts';

type Flow = 'device' | 'code';

export function addLoginCommand(program: Command, invocation: Invocation): void {
  program
    .command('login')
    .argument('[address]', 'the agent, as for --agent-card')
    .description('log in for an agent: get a token from the identity server that its card names, and keep it')
    .addOption(
      new Option(
        '--flow <flow>',
        'device: confirm a code in a browser anywhere; code: log in in a browser here',
      ).choices(['device', 'code']),
    )
    .action(async (address: string | undefined, { flow }: { flow?: Flow }, command: Command) => {
      if (address !== undefined) command.parent?.setOptionValue('agentCard', address);
      const session = await openSession(invocation, command);
      try {
        show(session, await logIn(session, flow));
      } catch (error) {
        throw callFailure(error, session.call.signal);
      }
    });
}

async function logIn(session: Session, flow: Flow | undefined): Promise<Login> {
  const { invocation, settings, options, output, call } = session;
  requireTls(options.agentCard);
  const { card } = await fetchCard(call);
  const origins = originsOf(card);
  for (const url of origins.slice(0, 1))
    await permitCredentials(url, { settings, options, token: 'the token of this login' }, invocation);
  const fetch = identityFetch(call.signal);
  const signIn = await signInOf(card, fetch);
  const client = await clientFor(session, signIn);
  const note = (line: string): void => output.note(line);
  note(`The token is for ${origins.join(' and ')}, from the identity server ${new URL(signIn.tokenUrl).origin}`);
  const context = { signIn, client, fetch, signal: call.signal, note };
  const tokens = await tokensBy(flow, context, invocation.listen);
  const login: Login = withTokens(
    {
      origins: [...origins],
      agent: options.agentCard,
      clientId: client.clientId,
      tokenUrl: signIn.tokenUrl,
      ...(signIn.revocationUrl !== undefined && { revocationUrl: signIn.revocationUrl }),
      ...(client.scope !== '' && { scope: client.scope }),
    },
    tokens,
  );
  await new KeptLogins(invocation, note).add(login);
  return login;
}

/** By a device code, unless there is none: it needs no browser here. @throws {CommandFailure} */
async function tokensBy(flow: Flow | undefined, context: LoginContext, listen: Listen): Promise<Tokens> {
  const { deviceUrl, authorizationUrl } = context.signIn;
  if (flow !== 'code' && deviceUrl !== undefined) return byDeviceCode(context, deviceUrl);
  if (flow !== 'device' && authorizationUrl !== undefined)
    return byAuthorizationCode(context, { authorizationUrl, listen });
  const wanted = flow === undefined ? 'a device code or an authorization code' : `the flow “${flow}”`;
  throw new CommandFailure('SWITCHYARD_ERR_LOGIN_UNSUPPORTED', `The agent’s card names no login by ${wanted}`, {
    exitCode: 4,
    hint: flow && 'Try it without --flow.',
  });
}

/** @throws {CommandFailure} nobody can be asked for the client's id */
async function clientFor({ options, invocation }: Session, { scopes, tokenUrl }: SignIn): Promise<IdentityClient> {
  const { origin } = new URL(tokenUrl);
  const clientId = options.clientId ?? (await askText(`Client id of this command at ${origin}:`, invocation));
  if (!clientId)
    throw new CommandFailure(
      'A2ACLI_ERR_USAGE',
      `The identity server ${origin} wants a client id, which cards do not name`,
      {
        hint: '--client-id <id>, or A2ACLI_CLIENT_ID: the operator of the identity server registers a public client for you.',
      },
    );
  return { clientId, scope: options.scope ?? scopes.join(' '), audience: options.audience };
}

function show({ output }: Session, { origins, agent, tokenUrl, scope, expiresAt, refreshToken }: Login): void {
  const until = expiresAt === undefined ? undefined : new Date(expiresAt).toISOString();
  const isRenewed = refreshToken !== undefined;
  const identityServer = new URL(tokenUrl).origin;
  output.result(
    { login: { agent, origins, identityServer, scope: scope ?? null, expiresAt: until ?? null, isRenewed } },
    () =>
      field('Logged in', origins.join(' ')) +
      field('Identity server', identityServer) +
      field('Scope', scope) +
      field('Token valid until', until && `${localTime(until)}${isRenewed ? ', then it is renewed' : ''}`),
  );
}
