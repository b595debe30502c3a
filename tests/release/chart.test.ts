import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { findRedisServer, freePort, spawnGuarded } from '@switchyard/local';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { readConfig as readGatewayConfig } from '../../apps/gateway/src/config.ts';
import { readConfig as readWorkerConfig } from '../../apps/worker/src/config.ts';
import { bringHelm } from '../../scripts/chart/bring-helm.ts';
import { skippedFor } from '../support/has-program.ts';
import { userMessage } from '../support/messages.ts';
import { startProgram } from '../support/process.ts';
import { until } from '../support/until.ts';
import {
  containerOf,
  environmentOf,
  labelsOfPods,
  ofKind,
  podsOf,
  type Rendered,
  render as renderWith,
  typeProblems,
} from './support/chart/manifests.ts';

// The Helm chart as Helm renders it, and its programs on its Redis, without a cluster (docs/kubernetes.md).

const helm = bringHelm();
const skipped = ('missing' in helm && skippedFor(helm.missing)) || '';
const files = ['minimal', 'external-redis', 'scaled', 'everything', 'deployments'];
/** What the secret of the values `deployments` has. */
const listed = {
  deployments: [
    { number: 0, redisUrl: 'redis://redis-a:6379' },
    { number: 2, redisUrl: 'rediss://redis-b:6380', shards: 4, archiveUrl: 'postgres://archive/c' },
  ],
};
const folder = mkdtempSync(join(tmpdir(), 'switchyard-chart-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function render(files: readonly string[], values: Readonly<Record<string, unknown>> = {}): Rendered {
  return renderWith('program' in helm ? helm.program : '', files, values);
}

/** The chart's secrets as files: paths below /secrets lead there. */
function withSecrets(rendered: Rendered, text: string): string {
  for (const { data = {} } of ofKind(rendered, 'Secret').values())
    for (const [name, value] of Object.entries(data)) writeFileSync(join(folder, name), Buffer.from(value, 'base64'));
  const paths = text.replaceAll('/secrets/redis-ca.crt', '/secrets/ca.crt').replaceAll('/secrets', folder);
  return paths.replaceAll('/deployments/', `${folder}/`);
}

function settingsOf(rendered: Rendered, pod: string): Record<string, string> {
  const settings = environmentOf(podsOf(rendered).get(pod));
  return JSON.parse(withSecrets(rendered, JSON.stringify(settings)));
}

describe.skipIf(skipped)(`the chart${skipped && ` (not checked: ${skipped})`}`, () => {
  it.each(files)('renders valid manifests for Kubernetes 1.30 and the operators, with the values %s', (file) => {
    const rendered = render([file]);
    expect(rendered.problem).toBe('');
    expect(typeProblems(rendered, file)).toBe('');
  });

  it('is checked for unknown fields', () => {
    const rendered = render(['minimal'], { 'gateway.env': [{ name: 'A', valueForm: 'b' }] });
    expect(typeProblems(rendered, 'wrong')).toMatch(/'"valueForm"' does not exist in type 'EnvVar'/);
  });

  it.each(files)('gives no pod more rights than it needs, with the values %s', (file) => {
    const pods = podsOf(render([file]));
    expect(pods.size).toBeGreaterThanOrEqual(3);
    for (const [name, pod] of pods) {
      expect(pod, name).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(containerOf(pod), name).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: { limits: { memory: expect.any(String) }, requests: { cpu: expect.any(String) } },
      });
    }
  });

  it.each(files)('has no secret in a variable, and gives each program only its own, with the values %s', (file) => {
    const rendered = render([file]);
    const secrets = [...ofKind(rendered, 'Secret').values()].flatMap(({ data = {} }) => Object.values(data));
    const shown = JSON.stringify(rendered.manifests.filter(({ kind }) => kind !== 'Secret'));
    for (const secret of secrets) expect(shown).not.toContain(Buffer.from(secret, 'base64').toString().trim());
    const workers = [...podsOf(rendered)].filter(([name]) => /-worker-|-maintenance/.test(name));
    expect(JSON.stringify(workers)).not.toMatch(/operator-key|api-keys|users\.acl/);
  });

  it.each(files)('has selectors and ports that match its pods, with the values %s', (file) => {
    const rendered = render([file]);
    const labels = labelsOfPods(rendered);
    const matched = (selector: Readonly<Record<string, string>> = {}): string[] =>
      [...labels].flatMap(([name, own]) =>
        Object.entries(selector).every(([key, of]) => own[key] === of) ? [name] : [],
      );
    for (const [name, { spec }] of ofKind(rendered, 'Service')) {
      const [pod = '', ...others] = matched(spec?.selector);
      expect(others, name).toEqual([]);
      const ports = (containerOf(podsOf(rendered).get(pod)).ports ?? []).map(({ name }) => name);
      for (const { targetPort } of spec?.ports ?? []) expect(ports, name).toContain(targetPort);
    }
    for (const [name, { spec }] of ofKind(rendered, 'PodDisruptionBudget'))
      expect(matched(spec?.selector?.matchLabels), name).toEqual([name]);
    for (const [name, { spec }] of ofKind(rendered, 'NetworkPolicy'))
      expect(matched(spec?.podSelector.matchLabels).length, name).toBeGreaterThanOrEqual(1);
    for (const [name, { spec }] of ofKind(rendered, 'ScaledObject'))
      expect([...ofKind(rendered, 'Deployment').keys()], name).toContain(spec.scaleTargetRef.name);
  });

  it.each(files)('gives each program valid settings, with the values %s', (file) => {
    const rendered = render([file], { 'secrets.gateway': '', 'secrets.programs': '', 'secrets.metrics': '' });
    writeFileSync(join(folder, 'redis-password'), 'secret');
    writeFileSync(join(folder, 'ca.crt'), rootCertificates[0] ?? '');
    writeFileSync(join(folder, 'deployments.json'), JSON.stringify(listed));
    for (const name of podsOf(rendered).keys()) {
      const own = settingsOf(rendered, name);
      for (const path of ['TLS_CERT_FILE', 'TLS_KEY_FILE', 'TLS_CLIENT_CA_FILE']) delete own[path];
      if (name.endsWith('-gateway')) expect(readGatewayConfig(own).gateway.admin?.port).toBe(4100);
      else if (/-worker-|-maintenance/.test(name)) expect(readWorkerConfig(own).metrics?.port).toBe(9464);
    }
  });

  it('lets gateways serve all deployments of a secret, and workers their own', () => {
    const rendered = render(['deployments']);
    const gateway = environmentOf(podsOf(rendered).get('our-switchyard-gateway'));
    expect(gateway).toMatchObject({ DEPLOYMENT: '2', DEPLOYMENTS_FILE: '/deployments/deployments.json' });
    for (const name of ['REDIS_URL', 'REDIS_PASSWORD_FILE', 'REDIS_CA_FILE', 'SHARDS', 'ARCHIVE_URL'])
      expect(gateway).not.toHaveProperty(name);
    const worker = environmentOf(podsOf(rendered).get('our-switchyard-worker-echo'));
    expect(worker).toMatchObject({ DEPLOYMENT: '2', SHARDS: '4', REDIS_URL: expect.any(String) });
    expect(worker).not.toHaveProperty('DEPLOYMENTS_FILE');
    const policy = ofKind(rendered, 'NetworkPolicy').get('our-switchyard-gateway');
    expect(JSON.stringify(policy?.spec?.egress)).toContain('6380');
  });

  it('gives each pod enough time to drain', () => {
    const graceOf = (values: Readonly<Record<string, unknown>>, pod: string) =>
      podsOf(render(['minimal'], values)).get(pod)?.terminationGracePeriodSeconds;
    expect(graceOf({}, 'our-switchyard-gateway')).toBe(5 + 3 + 5);
    expect(graceOf({}, 'our-switchyard-worker-echo')).toBe(30 + 10);
    expect(graceOf({ 'settings.DRAIN_MS': 60_500 }, 'our-switchyard-gateway')).toBe(5 + 61 + 5);
    expect(graceOf({ 'settings.DRAIN_MS': 60_500 }, 'our-switchyard-worker-echo')).toBe(61 + 10);
    expect(graceOf({ 'workers.echo.settings.DRAIN_MS': 0 }, 'our-switchyard-worker-echo')).toBe(10);
    expect(graceOf({ 'workers.echo.terminationGracePeriodSeconds': 300 }, 'our-switchyard-worker-echo')).toBe(300);
  });

  it('renders the values 0 and false as such', () => {
    const rendered = render(['minimal'], {
      'workers.echo.replicas': 0,
      'settings.PUSH': true,
      'workers.echo.settings.PUSH': false,
      'settings.MAX_TASK_BYTES': 268_435_456,
    });
    expect(ofKind(rendered, 'Deployment').get('our-switchyard-worker-echo')?.spec?.replicas).toBe(0);
    expect(environmentOf(podsOf(rendered).get('our-switchyard-worker-echo'))).toMatchObject({
      PUSH: 'off',
      MAX_TASK_BYTES: '268435456',
    });
    expect(podsOf(rendered).has('our-switchyard-maintenance')).toBe(true);
  });

  it('lets the settings of all programs replace defaults of the chart, unless a program has its own', () => {
    const shared = { 'settings.AUTH': 'jwt', 'settings.JWT_ISSUER': 'https://issuer.example.com' };
    const gatewayOf = (values: Readonly<Record<string, unknown>>) =>
      environmentOf(podsOf(render(['minimal'], values)).get('our-switchyard-gateway'));
    expect(gatewayOf({})).toMatchObject({ AUTH: 'api-key', API_KEYS_FILE: '/secrets/api-keys' });
    expect(gatewayOf(shared)).toMatchObject({ AUTH: 'jwt' });
    expect(gatewayOf(shared)).not.toHaveProperty('API_KEYS_FILE');
    expect(gatewayOf({ ...shared, 'gateway.settings.AUTH': 'mtls' })).toMatchObject({ AUTH: 'mtls' });
    const drained = podsOf(render(['minimal'], { 'settings.DRAIN_MS': 60_500 })).get('our-switchyard-worker-echo');
    expect(environmentOf(drained)).toMatchObject({ DRAIN_MS: '60500' });
  });

  it('lets gateways reach webhooks that they ask for consent, and Redis have a limit of processors', () => {
    const values = { 'settings.PUSH_VERIFY': true, 'redis.resources.limits.cpu': 2 };
    const rendered = render(['minimal'], values);
    expect(rendered.problem).toBe('');
    const egressOf = ({ manifests }: Rendered) =>
      JSON.stringify(
        manifests.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata?.name?.endsWith('-gateway')),
      );
    expect(egressOf(rendered)).toContain('169.254.0.0/16');
    expect(egressOf(render(['minimal']))).not.toContain('169.254.0.0/16');
  });

  it('gives all programs the archive of a secret, and lets them reach PostgreSQL', () => {
    const values = { archive: { existingSecret: 'access', urlKey: 'url', caKey: 'ca', ports: [6432] } };
    const rendered = render(['scaled'], values);
    const pods = [...podsOf(rendered)].filter(([name]) => /gateway|worker|maintenance/.test(name));
    expect(pods.length).toBeGreaterThanOrEqual(4);
    for (const [name, pod] of pods) {
      const { env, volumeMounts } = containerOf(pod);
      const secretKeyRef = { name: 'access', key: 'url' };
      expect(env, name).toContainEqual({ name: 'ARCHIVE_URL', valueFrom: { secretKeyRef } });
      expect(volumeMounts, name).toContainEqual({ name: 'archive', mountPath: '/archive', readOnly: true });
    }
    for (const program of ['gateway', 'worker']) {
      const policy = ofKind(rendered, 'NetworkPolicy').get(`our-switchyard-${program}`);
      expect(policy?.spec?.egress).toContainEqual({ ports: [{ port: 6432, protocol: 'TCP' }] });
    }
    expect(JSON.stringify(render(['scaled']).manifests)).not.toMatch(/archive/i);
  });

  it('gives all programs the secrets of files, if there are any', () => {
    const pods = [...podsOf(render(['scaled'], { 'secrets.files': 'keys' }))];
    const programs = pods.filter(([name]) => /gateway|worker|maintenance/.test(name));
    expect(programs.length).toBeGreaterThanOrEqual(4);
    const secret = { name: 'FILES_SECRET', valueFrom: { secretKeyRef: { name: 'keys', key: 'files-secret' } } };
    for (const [name, pod] of programs) expect(containerOf(pod).env, name).toContainEqual(secret);
    expect(JSON.stringify(render(['scaled']).manifests)).not.toContain('FILES_SECRET');
  });

  it('runs a maintenance worker only if all others can be scaled to 0', () => {
    expect(podsOf(render(['minimal'])).has('our-switchyard-maintenance')).toBe(false);
    const maintenance = podsOf(render(['scaled'])).get('our-switchyard-maintenance');
    expect(containerOf(maintenance).args).toEqual(['worker', '--maintenance']);
    expect(
      podsOf(render(['scaled'], { 'workers.models.scaling.minReplicas': 1 })).has('our-switchyard-maintenance'),
    ).toBe(false);
  });

  it('sets no number of replicas if an autoscaler does', () => {
    const rendered = render(['scaled']);
    const replicas = [...ofKind(rendered, 'Deployment')].map(([name, { spec }]) => [name, spec?.replicas]);
    expect(Object.fromEntries(replicas)).toEqual({
      'our-switchyard-gateway': undefined,
      'our-switchyard-maintenance': 1,
      'our-switchyard-worker-models': undefined,
      'our-switchyard-worker-quick': undefined,
    });
    expect([...ofKind(rendered, 'HorizontalPodAutoscaler').values()][0]?.spec?.metrics).toHaveLength(2);
    const { pollingInterval, triggers } =
      ofKind(rendered, 'ScaledObject').get('our-switchyard-worker-quick')?.spec ?? {};
    expect(pollingInterval).toBe(5);
    expect(
      triggers?.map(({ metricType, metadata }) => [metricType, metadata.valueLocation, metadata.targetValue]),
    ).toEqual([
      ['AverageValue', 'jobs', '60'],
      ['Value', 'oldestWaitMs', '30000'],
    ]);
  });

  it.each([
    [{ 'gateway.terminationGracePeriodSeconds': 12 }, 'gateway.terminationGracePeriodSeconds: 12 is too short'],
    [
      { 'workers.echo.terminationGracePeriodSeconds': 39 },
      'workers.echo.terminationGracePeriodSeconds: 39 is too short',
    ],
    [{ 'gateway.settings.AUTH': 'none' }, 'needs ALLOW_ANONYMOUS'],
    [{ 'redis.enabled': false }, 'where is Redis?'],
    [{ 'externalRedis.url': 'redis://there' }, 'one Redis and no other'],
    [{ 'redis.enabled': false, 'externalRedis.url': 'redis://me:secret@there' }, 'has a password in it'],
    [{ 'redis.maxmemory': '3gb' }, 'less than twice redis.maxmemory'],
    [{ 'workers.echo.scaling': { enabled: true, minReplicas: 9, maxReplicas: 3 } }, 'more than maxReplicas'],
    [
      { 'workers.echo.scaling.enabled': true, 'settings.MAX_QUEUE_WAIT_MS': 5_000 },
      'workers.echo.scaling.minReplicas: 0 does not go with MAX_QUEUE_WAIT_MS',
    ],
    [{ 'gateway.replica': 3 }, /gateway.*replica/],
    [{ 'gateway.replicas': 'three' }, /gateway.replicas/],
    [{ 'settings.SHARDS': 300 }, /settings.SHARDS.*256/],
    [{ 'settings.SHARD': 3 }, /settings.*SHARD/],
    [{ 'settings.REDIS_URL': 'redis://there' }, /settings.*REDIS_URL/],
    [{ 'gateway.settings.SHARDS': 3 }, /gateway.settings.*SHARDS/],
    [{ 'gateway.settings.CARD_SIGNING_KEY': 'secret' }, /gateway.settings.*CARD_SIGNING_KEY/],
    [{ 'settings.LOG_LEVEL': 'loud' }, /settings.LOG_LEVEL/],
    [{ 'workers.echo.agents': { Echo: '/agents/echo.ts' } }, /workers.echo.agents.*Echo/],
    [{ 'workers.Big_One': { agents: { echo: '/agents/echo.ts' } } }, /workers.*Big_One/],
    [{ 'maintenance.enabled': true }, /maintenance.enabled/],
  ])('refuses %j with the reason', (values, words) => {
    const { manifests, problem } = render(['minimal'], values);
    expect(manifests).toEqual([]);
    const line = problem.replaceAll(/\s+/g, ' ').replaceAll('/', '.');
    expect(line).toMatch(words);
  });
});

/** @returns its port */
async function startRedisOf(rendered: Rendered): Promise<number> {
  const port = await freePort();
  const { args = [] } = containerOf(podsOf(rendered).get('our-switchyard-redis'));
  const atHome = args.map((word) =>
    withSecrets(rendered, word)
      .replace('/data', folder)
      .replace(/^6379$/, String(port)),
  );
  const program = findRedisServer(process.env) ?? 'redis-server';
  const server = await spawnGuarded(program, [...atHome, '--bind', '127.0.0.1']);
  onTestFinished(async () => void (await server.stop()));
  let output = '';
  server.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const isReady = () => output.includes('Ready to accept connections');
  await until(() => isReady() || !server.isRunning(), { what: 'Redis is ready', timeoutMs: 30_000 });
  if (isReady()) return port;
  throw new Error(`Redis did not start. It printed:\n${output}`);
}

describe.skipIf(skipped)("the programs of the chart, on the chart's Redis", () => {
  it('serve a client, and report the load to KEDA', async () => {
    const rendered = render(['scaled'], { 'gateway.grpc.enabled': false });
    const port = await startRedisOf(rendered);
    const settings = (pod: string, own: Readonly<Record<string, string>>) => ({
      ...settingsOf(rendered, pod),
      REDIS_URL: `rediss://switchyard@127.0.0.1:${port}`,
      ...own,
    });
    const gateway = await startProgram({
      file: 'apps/gateway/src/main.ts',
      env: settings('our-switchyard-gateway', {
        HOST: '127.0.0.1',
        PORT: '0',
        ADMIN_HOST: '127.0.0.1',
        ADMIN_PORT: '0',
      }),
    });
    onTestFinished(async () => void (await gateway.stop()));
    const [, operators = ''] = await gateway.waitFor(/"adminUrl":"([^"]+)"/, 30_000);
    const [, url = ''] = await gateway.waitFor(/"url":"([^"]+)"/);

    const { triggers = [] } = ofKind(rendered, 'ScaledObject').get('our-switchyard-worker-quick')?.spec ?? {};
    const metricsKey = readFileSync(join(folder, 'metrics-key'), 'utf8');
    const scaledBy = () =>
      Promise.all(
        triggers.map(async ({ metadata }) => {
          const asked = metadata.url?.replace('http://our-switchyard-operators.agents.svc:4100', operators) ?? '';
          const answer = await fetch(asked, { headers: { [metadata.keyParamName ?? '']: metricsKey } });
          return Object(await answer.json())[metadata.valueLocation ?? ''];
        }),
      );
    // Neither agent was announced: a worker must start.
    expect(await scaledBy()).toEqual([2, 0]);

    const worker = await startProgram({
      file: 'apps/worker/src/main.ts',
      args: ['--agents', 'examples/echo/agent.ts', 'examples/hello/agent.ts'],
      env: settings('our-switchyard-worker-quick', { METRICS_PORT: '0', METRICS_HOST: '127.0.0.1' }),
    });
    await gateway.waitFor(/"agents":\["echo","hello"\]/, 30_000);
    await worker.waitFor(/"event":"started"/);
    expect(await worker.stop()).toBe(0);
    expect(await scaledBy()).toEqual([0, 0]);

    const [key = ''] = readFileSync(join(folder, 'api-keys'), 'utf8').split(':');
    const headers = { 'content-type': 'application/json', 'a2a-version': '1.0', 'x-api-key': key };
    const body = JSON.stringify({ message: userMessage('Wake up'), configuration: { returnImmediately: true } });
    const sent = await fetch(`${url}/agents/echo/message:send`, { method: 'POST', headers, body });
    expect(sent.status).toBe(200);
    expect(await scaledBy()).toEqual([1, expect.any(Number)]);
  });
});
