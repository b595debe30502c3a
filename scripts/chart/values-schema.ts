import { anyMap, anyMaps, closed, type JsonSchema, listOf, mapOf, oneOf, onOff, text, whole } from './json-schema.ts';
import { settingsSchema } from './settings-schema.ts';

const pullPolicy = oneOf('Always', 'IfNotPresent', 'Never');
const image = closed({ repository: text, tag: text, pullPolicy });
const budget = closed({ maxUnavailable: { anyOf: [whole(0), { type: 'string', pattern: '^\\d+%$' }] } });
const quantities = closed({ cpu: { type: ['string', 'number'] }, memory: text, 'ephemeral-storage': text });
const resources = closed({ requests: quantities, limits: quantities });
const variable = { type: 'object', required: ['name'], properties: { name: text } };
const gracePeriod = whole(0, 86_400);

/** Where pods run. */
const placement = {
  nodeSelector: mapOf(text),
  tolerations: anyMaps,
  affinity: anyMap,
  priorityClassName: text,
};
/** What gateways and workers may have besides what the chart gives them. */
const podParts = {
  resources,
  env: listOf(variable),
  volumes: anyMaps,
  volumeMounts: anyMaps,
  podAnnotations: mapOf(text),
  ...placement,
};

const gateway = closed({
  replicas: whole(0, 1_000),
  settings: settingsSchema('gateway'),
  grpc: closed({ enabled: onOff }),
  tls: closed({ existingSecret: text, clientCertificates: onOff }),
  service: closed({ type: oneOf('ClusterIP', 'NodePort', 'LoadBalancer'), annotations: mapOf(text) }),
  autoscaling: closed({
    enabled: onOff,
    minReplicas: whole(1, 1_000),
    maxReplicas: whole(1, 1_000),
    cpu: whole(1, 100),
    streams: whole(0),
  }),
  podDisruptionBudget: budget,
  preStopSeconds: whole(1, 3_600),
  terminationGracePeriodSeconds: gracePeriod,
  ...podParts,
});

const ofAWorker = {
  image,
  replicas: whole(0, 1_000),
  settings: settingsSchema('worker'),
  scaling: closed({
    enabled: onOff,
    minReplicas: whole(0, 1_000),
    maxReplicas: whole(1, 1_000),
    jobsPerWorker: whole(1),
    oldestSeconds: whole(1, 86_400),
    pollingInterval: whole(1, 3_600),
    cooldownPeriod: whole(0, 86_400),
    scaleDownSeconds: whole(0, 3_600),
  }),
  podDisruptionBudget: budget,
  terminationGracePeriodSeconds: gracePeriod,
  ...podParts,
};
const agents = { ...mapOf({ type: 'string', minLength: 1 }, '^[a-z0-9-]{1,64}$'), minProperties: 1 };
const setOfWorkers = closed({ agents, ...ofAWorker }, { required: ['agents'] });

const redis = closed({
  enabled: onOff,
  image: closed({ repository: text, tag: text }),
  tls: onOff,
  existingSecret: text,
  maxmemory: { type: 'string', pattern: '^[0-9]+(kb|mb|gb)$' },
  resources: closed(
    {
      requests: quantities,
      limits: closed({
        cpu: { type: ['string', 'number'] },
        memory: { type: 'string', pattern: '^[0-9]+(Ki|Mi|Gi)$' },
      }),
    },
    { required: ['limits'] },
  ),
  persistence: closed({ size: text, storageClassName: text }),
  ...placement,
});

const externalRedis = closed({
  url: {
    type: 'string',
    pattern: '^((redis|rediss|redis\\+sentinel|rediss\\+sentinel|redis\\+cluster|rediss\\+cluster)://.+)?$',
  },
  existingSecret: text,
  passwordKey: text,
  caKey: text,
  ports: listOf(whole(1, 65_535)),
});

const archive = closed({ existingSecret: text, urlKey: text, caKey: text, ports: listOf(whole(1, 65_535)) });

const deployments = closed({ existingSecret: text, ports: listOf(whole(1, 65_535)) });

const route = closed({ enabled: onOff, parentRefs: anyMaps, hostnames: listOf(text) });

/** The chart's values.schema.json: Helm names each value that is wrong, or has a name that nobody reads. */
export function valuesSchema(): JsonSchema {
  return closed(
    {
      global: anyMap,
      image,
      imagePullSecrets: listOf(text),
      fullnameOverride: { type: 'string', pattern: '^([a-z]([a-z0-9-]{0,28}[a-z0-9])?)?$' },
      settings: settingsSchema('all'),
      secrets: closed({ gateway: text, programs: text, metrics: text, files: text }),
      gateway,
      workers: mapOf(setOfWorkers, '^[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?$'),
      worker: closed(ofAWorker),
      maintenance: closed({ enabled: oneOf('auto', 'always', 'never'), resources }),
      redis,
      externalRedis,
      deployments,
      archive,
      ingress: closed({ enabled: onOff, className: text, annotations: mapOf(text), host: text, tlsSecret: text }),
      httpRoute: route,
      grpcRoute: route,
      networkPolicy: closed({
        enabled: onOff,
        clients: anyMaps,
        operators: anyMaps,
        gatewayEgress: anyMaps,
        workerEgress: anyMaps,
      }),
      monitoring: closed({
        monitors: onOff,
        interval: whole(1, 3_600),
        rules: onOff,
        dashboard: onOff,
        labels: mapOf(text),
      }),
      serviceAccount: closed({ annotations: mapOf(text), name: text }),
      test: closed({ agent: text }),
    },
    { $schema: 'http://json-schema.org/draft-07/schema#', title: 'Values of the chart switchyard' },
  );
}
