import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allSettings } from '@switchyard/settings';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { hasProgram } from '../../tests/support/has-program.ts';
import { checkCompose } from '../deploy/check-compose.ts';
import { checkDockerfile } from '../deploy/check-dockerfile.ts';
import { checkLoadBalancer } from '../deploy/check-load-balancer.ts';
import { checkPrometheus } from '../deploy/check-prometheus.ts';
import { checkSystemd } from '../deploy/check-systemd.ts';

const redis = {
  image: 'redis:7.4-alpine',
  command: [
    ...['redis-server', '--appendonly', 'yes', '--appendfsync', 'everysec', '--maxmemory-policy', 'noeviction'],
    ...['--port', '0', '--tls-port', '6379', '--aclfile', '/secrets/redis/users.acl'],
  ],
  read_only: true,
  cap_drop: ['ALL'],
  security_opt: ['no-new-privileges:true'],
  deploy: { resources: { limits: { memory: '1g', pids: 64 } } },
  healthcheck: {},
  restart: 'unless-stopped',
  stop_grace_period: '30s',
};

describe('the check of docker-compose.yml', () => {
  it('accepts a durable Redis with restricted rights', () => {
    expect(checkCompose({ services: { redis } }, '.')).toEqual([]);
  });

  it.each([
    [{ ...redis, command: ['redis-server'] }, 'must be started with --maxmemory-policy noeviction'],
    [{ ...redis, command: ['redis-server', '--port', '6379'] }, 'must be started with --port 0'],
    [{ ...redis, command: ['redis-server', '--port', '0'] }, 'must be started with --aclfile'],
    [{ ...redis, read_only: undefined }, 'must be read_only'],
    [{ ...redis, cap_drop: [] }, 'must drop ALL capabilities'],
    [{ ...redis, security_opt: undefined }, 'must have no-new-privileges:true'],
    [{ ...redis, privileged: true }, 'must be neither privileged nor'],
    [{ ...redis, network_mode: 'host' }, 'nor in the network of the host'],
    [{ ...redis, deploy: undefined }, 'must have limits of memory and pids'],
    [{ ...redis, image: 'redis:7-alpine' }, 'the tag of redis:7-alpine must have a major and a minor version'],
    [{ ...redis, image: 'redis:latest' }, 'the tag of redis:latest must have'],
    [{ ...redis, ports: ['6379:6379'] }, 'publishes 6379:6379 beyond this machine'],
    [{ ...redis, environment: { PUSH_SECRET: 'hunter2' } }, 'has the secret PUSH_SECRET written down'],
    [{ ...redis, healthcheck: undefined }, 'has no healthcheck'],
    [{ ...redis, image: undefined }, 'has no image'],
    [{ ...redis, depends_on: { nobody: {} } }, 'waits for nobody, which does not exist'],
    [{ ...redis, volumes: ['data:/data'] }, 'mounts data, which does not exist'],
    [{ ...redis, volumes: ['./nowhere.cfg:/etc/x'] }, 'mounts ./nowhere.cfg, which does not exist'],
    [
      { ...redis, image: 'x', command: ['/agents/nowhere/agent.ts'], volumes: ['./examples:/agents:ro'] },
      'starts /agents/nowhere/agent.ts, which does not exist',
    ],
    [{ ...redis, image: 'x', command: ['/examples/echo/agent.ts'] }, 'starts /examples/echo/agent.ts, which does not'],
  ])('reports: $1', (service, problem) => {
    const problems = checkCompose({ services: { service: JSON.parse(JSON.stringify(service)) } }, '.');
    expect(problems).toContainEqual(expect.stringContaining(problem));
  });
});

describe('the check of the Dockerfile', () => {
  it.each([
    ['FROM a AS b\nCOPY --from=c /app ./', 'no stage is called c'],
    ['FROM node:24-slim', 'the tag of node:24-slim must have a major and a minor version'],
    ['FROM a\nCOPY nowhere ./', 'copies nowhere, which does not exist'],
    ['FROM a\nENTRYPOINT ["x"]', 'USER is not a number but 0'],
    ['FROM a\nUSER node', 'USER is not a number but 0'],
    ['FROM a\nUSER 0:0', 'USER is not a number but 0'],
    ['FROM a\nUSER 65532', 'has no HEALTHCHECK'],
    ['FROM a\nENTRYPOINT node x', 'ENTRYPOINT is no list of words, though there is no shell to read it'],
  ])('reports: $1', (text, problem) => {
    expect(checkDockerfile(text, '.')).toContain(`Dockerfile: ${problem}`);
  });

  it('accepts a numeric user, a list as ENTRYPOINT, a HEALTHCHECK, and an image without versions', () => {
    const text = 'FROM gcr.io/distroless/cc-debian12:nonroot\nUSER 65532:65532\nHEALTHCHECK CMD ["x"]\n';
    expect(checkDockerfile(`${text}ENTRYPOINT ["x"]\nCMD ["y"]`, '.')).toEqual([]);
  });
});

describe('the check of haproxy.cfg', () => {
  const config = 'frontend a\n    bind :4000\nbackend b\n    server-template g 1-9 gateway:4000 resolvers docker\n';
  const gateway = { environment: { PORT: '4000' }, networks: ['front'] };
  const balancer = { ports: ['127.0.0.1:4000:4000'], networks: ['front'] };
  const check = (services: object) => checkLoadBalancer(config, { 'load-balancer': balancer, ...services });

  it('accepts gateways on a shared network and on their port', () => {
    expect(check({ gateway })).toEqual([]);
  });

  it.each([
    [{}, 'looks for gateway, which does not exist'],
    [{ gateway: { ...gateway, environment: {} } }, 'looks for gateway on port 4000, where it does not listen'],
    [{ gateway: { ...gateway, networks: ['redis'] } }, 'looks for gateway, with which it has no network in common'],
    [
      { gateway, 'load-balancer': { ...balancer, ports: [...balancer.ports, '127.0.0.1:4001:4001'] } },
      'listens on no port 4001, which is published',
    ],
    [{ gateway, 'load-balancer': { ...balancer, ports: [] } }, 'listens on 4000, which is not published'],
  ])('reports: $1', (services, problem) => {
    expect(check(services)).toEqual([`deploy/haproxy.cfg: ${problem}`]);
  });
});

describe('the check of prometheus.yml', () => {
  const job = {
    job_name: 'workers',
    dns_sd_configs: [{ names: ['worker'], port: 9464 }],
    authorization: { credentials_file: '/secrets/metrics/key' },
  };
  const worker = { environment: { METRICS_PORT: '9464' }, networks: ['watch'] };
  const prometheus = { networks: ['watch'], volumes: ['keys:/secrets/metrics:ro'] };
  const check = (services: object, rules = ['deploy.test.ts']) =>
    checkPrometheus({ rule_files: rules, scrape_configs: [job] }, { prometheus, ...services }, 'scripts/test');

  it('accepts a job whose targets serve metrics', () => {
    expect(check({ worker })).toEqual([]);
  });

  it.each([
    [{}, 'asks worker, which does not exist'],
    [{ worker: { ...worker, environment: {} } }, 'asks worker on port 9464, where it has no metrics'],
    [{ worker: { ...worker, networks: ['redis'] } }, 'asks worker, with which it has no network in common'],
    [
      { worker, prometheus: { networks: ['watch'] } },
      'workers has its key in /secrets/metrics/key, which is not mounted',
    ],
  ])('reports: $1', (services, problem) => {
    expect(check(services)).toEqual([`scripts/test/prometheus.yml: ${problem}`]);
  });

  it('reports a missing file of rules', () => {
    expect(check({ worker }, ['nowhere.yml'])).toEqual(['scripts/test/prometheus.yml: nowhere.yml does not exist']);
  });
});

describe("the check of systemd's units", () => {
  const checkUnit = (text: string): string[] => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-units-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'x.service'), text);
    return checkSystemd(folder).map((problem) => problem.slice(folder.length + 2));
  };

  it('accepts the units of this repository', () => {
    expect(checkSystemd('deploy/systemd')).toEqual([]);
  });

  it('reports a credential that is used but not loaded, and one that is loaded but not used', () => {
    const unit = '[Service]\nLoadCredential=a:/etc/a\nEnvironment=B_FILE=%d/b\nExecStart=/usr/bin/redis-server\n';
    expect(checkUnit(unit).slice(0, 2)).toEqual([
      'x.service uses the credential b, and does not load it',
      'x.service loads the credential a, and does not use it',
    ]);
  });

  it.runIf(hasProgram('systemd-analyze', '--version'))('reports problems from systemd-analyze', () => {
    const unit = '[Service]\nExecStart=/usr/bin/redis-server\nRestrat=always\n';
    expect(checkUnit(unit)).toEqual([
      expect.stringMatching(/^systemd-analyze verify x\.service: .*Restrat/),
      expect.stringMatching(/^systemd-analyze security x\.service: [\s\S]*UNSAFE/),
    ]);
  });
});

describe('the memory of a gateway', () => {
  /** docs/scaling.md: memory of an idle gateway, and of each open stream. */
  const idleBytes = 175e6;
  const streamBytes = 58.5e3;
  const units: Readonly<Record<string, number>> = { g: 1024 ** 3, G: 1024 ** 3, Gi: 1024 ** 3 };
  const bytes = (text: string): number => Number.parseInt(text, 10) * (units[text.replace(/^\d+/, '')] ?? Number.NaN);
  const read = (file: string): string => readFileSync(file, 'utf8');

  it.each([
    ['the chart', () => parse(read('deploy/helm/switchyard/values.yaml')).gateway.resources.limits.memory],
    [
      'compose',
      () => parse(read('docker-compose.yml'), { merge: true }).services.gateway.deploy.resources.limits.memory,
    ],
    ['systemd', () => /^MemoryMax=(.*)$/m.exec(read('deploy/systemd/switchyard-gateway.service'))?.[1]],
  ])('is enough in %s for everything that its limits allow', (_, limit) => {
    const { MAX_STREAMS, MAX_ANSWER_BYTES, MAX_BYTES_IN_FLIGHT } = allSettings;
    const bounds = MAX_ANSWER_BYTES.default + MAX_BYTES_IN_FLIGHT.default;
    const needed = idleBytes + MAX_STREAMS.default * streamBytes + bounds;
    expect(bytes(limit())).toBeGreaterThan(needed);
  });
});
