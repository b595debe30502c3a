import { allSettings, type Setting } from '@switchyard/settings';
import { closed, type JsonSchema } from './json-schema.ts';

/** Who reads the settings of a place in the values. */
type Place = 'all' | 'gateway' | 'worker';

/** Those that the chart itself sets, so that ports, probes and files fit together. */
const ofTheChart =
  /^(?:HOST|PORT|GRPC_PORT|ADMIN_(?:PORT|HOST|KEY.*)|METRICS_.*|REDIS_.*|DATA_DIR|API_KEYS.*|PUSH_SECRET.*|TLS_(?:CERT|KEY|CLIENT_CA)_FILE)$/;

/** The settings that may be given at a place. A secret is none: everybody who sees a pod would see it. */
export function settingsSchema(place: Place): JsonSchema {
  const entries: readonly [string, Setting][] = Object.entries(allSettings);
  const some = entries.filter(([name, setting]) => !ofTheChart.test(name) && !setting.isSecret && isOf(setting, place));
  return closed(Object.fromEntries(some.map(([name, setting]) => [name, valueSchema(setting)])));
}

/** What must be the same everywhere is given once, for all. */
function isOf({ of, isShared }: Setting, place: Place): boolean {
  if (place === 'all') return of.includes('gateway') || of.includes('worker');
  return of.includes(place) && !isShared;
}

/** YAML reads `on` and `off` as true and false. */
function valueSchema({ schema }: Setting): JsonSchema {
  const allowed = schema.description ?? '';
  const whole = /^a whole number (?:from (\d+) to (\d+)|of (\d+) or more)(, or off)?$/.exec(allowed);
  if (whole) return wholeNumber(whole);
  if (allowed === 'on or off') return { enum: [true, false, 'on', 'off', 'true', 'false'] };
  if (/^\w\S*(?:, \S+)* or \S+$/.test(allowed)) return { enum: allowed.split(/, | or /) };
  if (allowed.startsWith('a number')) return { type: ['number', 'string'], minimum: 0, maximum: 1 };
  if (allowed.endsWith('or off')) return { type: ['string', 'boolean'], not: { const: true } };
  return { type: ['string', 'number'] };
}

function wholeNumber([, least, most, atLeast, orOff]: RegExpExecArray): JsonSchema {
  return {
    type: orOff ? ['integer', 'string', 'boolean'] : ['integer', 'string'],
    minimum: Number(least ?? atLeast),
    ...(most !== undefined && { maximum: Number(most) }),
    pattern: orOff ? '^(\\d+|off)$' : '^\\d+$',
    ...(orOff && { not: { const: true } }),
  };
}
