import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// A word of the glossary in docs/architecture.md has that one meaning: as the name of a type, as a field of the record,
// and as a reply of a script.

/** Where types are declared that have a word of the glossary as their name, and its meaning. */
const declaredIn: Readonly<Record<string, readonly string[]>> = {
  principal: ['packages/protocol/src/turn.ts'],
  scope: ['packages/store/src/deployment/scope.ts'],
  turn: ['packages/agent/src/turn/turn.ts'],
  attempt: ['apps/console/src/pages/task/timeline/timeline-rows.ts', 'packages/operators/src/timeline.ts'],
  failure: [
    'apps/worker/src/push/outcome.ts',
    'packages/agent/src/conversations/hold-conversation.ts',
    'packages/operator-api/src/failures.ts',
    'packages/operators/src/task-failures.ts',
  ],
  lease: ['packages/store/src/queue/lease.ts'],
  'running job': ['packages/store/src/queue/running-job.ts'],
  'inbox entry': ['packages/store/src/tasks/accept/submission.ts'],
  outbox: ['packages/store/src/outbox/outbox.ts'],
  'pre-subscription': ['packages/store/src/feed/task-feed.ts'],
  'held request': ['apps/gateway/src/call/held-requests.ts'],
  step: [
    'apps/console/src/pages/task/timeline/step-result.tsx',
    'apps/console/src/pages/task/timeline/timeline-rows.ts',
    'packages/operators/src/step-results.ts',
    'packages/operators/src/timeline-work.ts',
  ],
  'dead letter': ['packages/operator-api/src/dead-letters.ts', 'packages/operators/src/dead-letters.ts'],
  usage: ['packages/agent/src/port/model-call.ts', 'packages/operator-api/src/usage.ts'],
  budget: ['packages/agent/src/port/budget.ts'],
  schedule: ['apps/cli/src/operator/schedules.ts', 'packages/store/src/tasks/accept/schedule.ts'],
};

/** Fields of the record that have a word of the glossary as their name, and its meaning. */
const recordFields: Readonly<Record<string, string>> = {
  seq: 'the number of the last event',
  epoch: 'the number of the last attempt',
  owner: 'its scope as text',
  inbox: 'the number of messages in it',
  answered: 'the number of the last message that is answered',
  incarnation: 'that of the last event',
  job: 'the number of the job whose runs may begin turns',
  turn: 'the fencing token of the open turn',
  run: 'the id of the run of the last attempt',
};

/** Replies of scripts that are a word of the glossary, and its meaning. */
const replies: Readonly<Record<string, string>> = {
  fenced: 'the token is not that of the open turn',
  successor: 'another job runs the rest of the inbox',
  outbox: 'the outbox has due tasks',
  principal: 'the budget of the principal is spent',
};

const glossary = readFileSync('docs/architecture.md', 'utf8').split('## Glossary')[1] ?? '';
const words = Array.from(glossary.matchAll(/^\| ([^|]+) \|/gm), ([, terms = '']) => terms.split(', '))
  .flat()
  .filter((word) => !/^(?:term$|-)/.test(word));
const sources = globSync('{apps,packages}/*/src/**/*.{ts,tsx}').sort();

test('the glossary has its words', () => {
  expect(words).toEqual(expect.arrayContaining(['turn', 'lease', 'held request', 'shard']));
});

test('a type with a word of the glossary as its name has its meaning', () => {
  const nameOf = (word: string): string => word.replace(/(?:^|[ -])(\w)/g, (_, letter: string) => letter.toUpperCase());
  const byName = new Map(words.map((word) => [nameOf(word), word]));
  const found: Record<string, string[]> = {};
  for (const file of sources)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:export )?(?:abstract )?(?:type|interface|class) (\w+)/gm,
    )) {
      const word = byName.get(name);
      if (word !== undefined) found[word] = [...(found[word] ?? []), file];
    }
  expect(found).toEqual(declaredIn);
});

test('a field of the record with a word of the glossary as its name has its meaning', () => {
  const [, list = ''] =
    readFileSync('packages/store/src/record/fields.lua', 'utf8').match(/FIELDS = \{([^}]*)\}/) ?? [];
  const fields = Array.from(list.matchAll(/'(\w+)'/g), ([, name = '']) => name);
  expect(fields.length).toBeGreaterThan(10);
  expect(fields.filter((name) => words.includes(name)).sort()).toEqual(Object.keys(recordFields).sort());
});

test('a reply of a script that is a word of the glossary has its meaning', () => {
  const found = sources.flatMap((file) =>
    Array.from(readFileSync(file, 'utf8').matchAll(/\bword\(([^)]*)\)/g), ([, listed = '']) =>
      Array.from(listed.matchAll(/'([^']+)'/g), ([, reply = '']) => reply),
    ).flat(),
  );
  expect(found).toContain('fenced');
  const named = new Set(found.filter((reply) => words.includes(reply.replace('-', ' '))));
  expect([...named].sort()).toEqual(Object.keys(replies).sort());
});
