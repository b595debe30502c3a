import type { Command } from 'commander';
import { field } from '../output/labelled-text.ts';
import { type Invocation, openSession } from '../session/session.ts';
import { longFlag } from '../settings/options.ts';

export function addConfigCommands(program: Command, invocation: Invocation): void {
  program
    .command('config')
    .description('show the settings of this command')
    .command('show')
    .description('show each setting, and where it comes from')
    .action(async (_, command: Command) => {
      const { output, settings } = await openSession(invocation, command);
      const shown = settings.map(({ spec, given, source }) => ({
        option: longFlag(spec),
        value: given && spec.isSecret ? '[hidden]' : given,
        source,
      }));
      output.result({ settings: shown }, () =>
        shown.map(({ option, value, source }) => field(option.slice(2), `${value || '-'} (${source})`)).join(''),
      );
    });
}
