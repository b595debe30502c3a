import { openIssuer } from '../../../tests/support/issuer.ts';
import type { GatewayProcess } from '../../../tests/support/stack.ts';
import { httpRate, sendBody } from '../measure/drive.ts';
import type { Contender, Contest, Row } from '../measure/row.ts';
import type { Stage } from '../measure/stage.ts';

const NOBODY = 'without authentication';
const TOKEN_SECONDS = 3_600;

type Headers = Readonly<Record<string, string>>;

/** What it costs to know who sends a message. Both gateways are new, and as warm as the other. */
const kinds = [
  { id: 'send-with-key', name: 'with an API key of Redis', least: 0.95, open: withKey },
  { id: 'send-with-jwt', name: 'with a JSON Web Token', least: 0.9, open: withToken },
] as const;

export const accessRows: readonly Row[] = kinds.map(({ id, name, least, open }) => ({
  id,
  title: `SendMessage immediate, ${name}`,
  unit: 'tasks/s',
  hasNoWorker: true,
  isShort: true,
  warmUps: 8,
  bars: [{ to: NOBODY, at: 'least', value: least }],
  open: (stage) => open(stage, name),
}));

async function withKey(stage: Stage, name: string): Promise<Contest> {
  const gateway = await stage.freshGateway({ AUTH: 'api-key' });
  const headers = { 'x-api-key': await stage.newApiKey() };
  return beside(stage, { gateway, ours: sending(stage, gateway, { name, headers }) });
}

async function withToken(stage: Stage, name: string): Promise<Contest> {
  const issuer = await openIssuer();
  const gateway = await stage.freshGateway({ AUTH: 'jwt', JWT_ISSUER: issuer.url, JWT_AUDIENCE: 'switchyard' });
  const token = await issuer.token({ exp: Math.floor(Date.now() / 1_000) + TOKEN_SECONDS });
  const ours = sending(stage, gateway, { name, headers: { authorization: `Bearer ${token}` } });
  const contest = await beside(stage, { gateway, ours });
  return { ...contest, close: () => Promise.all([contest.close?.(), issuer[Symbol.asyncDispose]()]) };
}

interface Secured {
  readonly gateway: GatewayProcess;
  readonly ours: Contender;
}

async function beside(stage: Stage, { gateway, ours }: Secured): Promise<Contest> {
  const open = await stage.freshGateway();
  const other = sending(stage, open, { name: NOBODY, headers: {} });
  return { ours, others: [other], close: () => Promise.all([gateway.stop(), open.stop()]) };
}

function sending(
  stage: Stage,
  { url }: GatewayProcess,
  { name, headers }: { readonly name: string; readonly headers: Headers },
): Contender {
  return {
    name,
    async measure() {
      const perSecond = await httpRate({ url, headers, body: sendBody('done', true), seconds: 1 });
      await stage.clear();
      return perSecond;
    },
  };
}
