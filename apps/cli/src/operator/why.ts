import {
  diagnosisSchema,
  spentText,
  type TaskBudget,
  type TaskUsage,
  taskBudgetSchema,
  taskUsageSchema,
} from '@switchyard/operator-api';
import type { Command } from 'commander';
import { z } from 'zod';
import { programWithFolder } from '../data-folder/data-folder.ts';
import { field } from '../output/labelled-text.ts';
import { localTime } from '../output/local-time.ts';
import { unpricedText } from '../output/task-text.ts';
import type { Invocation } from '../session/session.ts';
import { failureLine, failureText } from './failure-text.ts';
import { ofOperators, withOperator } from './operator.ts';

/** The fields of a task's detail that `why` shows. */
const detailSchema = z.looseObject({
  taskId: z.string(),
  contextId: z.string(),
  agent: z.string(),
  state: z.string(),
  diagnosis: diagnosisSchema,
  deadLetter: z.boolean(),
  usage: taskUsageSchema.optional(),
  budget: taskBudgetSchema.optional(),
  priority: z.string().optional(),
  beginBy: z.string().optional(),
  waits: z.array(z.looseObject({ event: z.string().optional() })).optional(),
});

/** `program`: how switchyard is called here. `at`: the option for the task's agent. */
interface Place {
  readonly program: string;
  readonly at: string;
}

/** The command for each action of a diagnosis. */
const commands: Readonly<Record<string, (task: z.infer<typeof detailSchema>, place: Place) => string | undefined>> = {
  'resume-agent': ({ agent }, { program }) => `${program} queue resume ${agent}`,
  'start-worker': ({ agent }, { program }) =>
    `start a worker that has the agent "${agent}": ${program} worker <module> (${program} up starts its workers itself)`,
  answer: ({ taskId }, { program, at }) => `${program} send${at} --task-id ${taskId} "<reply>"`,
  cancel: ({ taskId }, { program, at }) => `${program} task cancel${at} ${taskId}`,
  retry: ({ taskId, deadLetter, diagnosis }, { program }) => {
    if (diagnosis.finding === 'webhook-fails') return `${program} dead list --kind webhook`;
    if (diagnosis.finding !== 'failed') return undefined;
    return deadLetter ? `${program} dead retry ${taskId}` : `${program} task rerun ${taskId}`;
  },
  'drain-worker': () => 'drain the worker, or end it: another one takes over',
  'give-event': ({ taskId, waits = [] }, { program }) => {
    const [event = '<name>'] = waits.flatMap((wait) => wait.event ?? []);
    return `${program} task event ${taskId} ${event} '<JSON>'`;
  },
  wait: () => 'wait',
};

/** Money alone would say that a request whose price is not known costs nothing. */
function spentOf(usage: TaskUsage, budget: TaskBudget | undefined): string {
  const { unpricedCalls = 0 } = usage.total;
  return spentText(usage, budget) + (unpricedCalls > 0 ? `, and ${unpricedText(unpricedCalls)}` : '');
}

/** `why`: the reason for a task's state. */
export function addWhyCommand(program: Command, invocation: Invocation): void {
  ofOperators(program.command('why'))
    .description('explain why a task is in its state, and what to do')
    .argument('<taskId>')
    .action((id: string, _, command: Command) =>
      withOperator(invocation, command, async ({ output, options }, api) => {
        const task = await api.call(`/admin/tasks/${encodeURIComponent(id)}`, detailSchema);
        const { diagnosis } = task;
        const place = { program: programWithFolder(invocation), at: agentOption(options.agentCard, task.agent) };
        const { taskId, contextId, agent, state, priority, beginBy, usage, budget } = task;
        output.result({ taskId, contextId, agent, state, priority, beginBy, ...diagnosis, usage, budget }, () =>
          [
            field('Task', task.taskId),
            field('Context', task.contextId),
            field('State', task.state),
            field('Priority', priority),
            field('Begin by', localTime(beginBy)),
            field('Finding', diagnosis.finding),
            field('Stuck', diagnosis.isStuck ? 'yes' : 'no'),
            field('Since', localTime(diagnosis.since)),
            field('Why', diagnosis.text),
            field('Spent', usage && spentOf(usage, budget)),
            diagnosis.failure ? failureText(diagnosis.failure) : '',
            ...(diagnosis.before ?? []).map((part) => field('Before', failureLine(part))),
            ...links(diagnosis).map((link) => field('See', link)),
            ...doing(task, place).map((what) => field('Do', what)),
          ].join(''),
        );
      }),
    );
}

/** Where to look further, without the worker that the failure names. */
function links({ see, failure }: z.infer<typeof diagnosisSchema>): string[] {
  const others = see.filter(({ kind, id }) => !(kind === 'worker' && id === failure?.worker));
  return [...new Set(others.map(({ kind, id }) => `${kind} ${id}`))];
}

/** What to do, one after the other: after a failure, mend its cause first. */
function doing(task: z.infer<typeof detailSchema>, place: Place): (string | undefined)[] {
  const { advice, actions } = task.diagnosis;
  const found = actions.map((action) => commands[action]?.(task, place));
  if (advice === undefined) return found;
  return [advice, ...found.map((command) => command && `then ${command}`)];
}

/** A gateway serves a task only at its own agent. '' if the gateway's address is not known. */
function agentOption(agentCard: string, agent: string): string {
  return /^https?:/.test(agentCard) && URL.canParse(agentCard)
    ? ` -a ${new URL(`/agents/${encodeURIComponent(agent)}`, agentCard).href}`
    : '';
}
