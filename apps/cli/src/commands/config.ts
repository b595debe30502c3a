import type { Command } from 'commander';
import { shownOperatorSettings } from '../operator/operator-settings.ts';
import { field } from '../output/labelled-text.ts';
import { type Invocation, openSession } from '../session/session.ts';
import { longFlag } from '../settings/options.ts';
import type { Setting } from '../settings/resolve.ts';

export function addConfigCommands(program: Command, invocation: Invocation): void {
  program
    .command('config')
    .description('show the settings of this command')
    .command('show')
    .description('show each setting, also of the commands for operators, and where it comes from')
    .action(async (_, command: Command) => {
      const { output, settings } = await openSession(invocation, command);
      const operators = await shownOperatorSettings(invocation);
      output.result({ settings: settings.map(typed), operators }, () =>
        [
          ...settings.map((each) => line(longFlag(each.spec).slice(2), { value: text(each), source: each.source })),
          ...operators.map(({ variable, value, source }) => line(variable, { value, source })),
        ].join(''),
      );
    });
}

/** For programs: with types. Durations are in milliseconds. */
function typed({ spec, value, given, source }: Setting) {
  const isHidden = spec.isSecret && given !== '';
  const isDuration = typeof value === 'number';
  return {
    option: longFlag(spec),
    value: isHidden ? '[hidden]' : (value ?? null),
    ...(isDuration && { unit: 'ms' }),
    source,
  };
}

function text({ spec, given }: Setting): string {
  return given && spec.isSecret ? '[hidden]' : given;
}

function line(name: string, { value, source }: { readonly value: string | null; readonly source: string }): string {
  return field(name, `${value || '-'} (${source})`);
}
