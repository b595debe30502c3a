import type { z } from 'zod';
import { groups } from './all-settings.ts';
import type { CommandName, Setting } from './setting/setting.ts';

const commandTexts: Readonly<Record<CommandName, string>> = {
  start: '`switchyard up`',
  gateway: 'gateway',
  worker: 'worker',
  switchyard: '`switchyard`',
  chat: '`npm run chat`',
  pizza: 'pizza',
};

/** The settings that most people need, as one Markdown table for the README. */
export function shortTable(): string {
  const rows = groups
    .flatMap(({ settings }) => Object.entries(settings))
    .filter(([, { isCommon }]) => isCommon)
    .map(([name, setting]) => row(`\`${name}\``, ofText(setting), defaultText(setting), setting.text));
  return [row('variable', 'used by', 'default', 'what it does'), row('---', '---', '---', '---'), ...rows].join('\n');
}

/** All settings, as a Markdown table per group for docs/settings.md. */
export function fullTables(): string {
  return groups
    .map(({ title, settings }) => {
      const rows = Object.entries(settings).map(([name, setting]) =>
        row(`\`${name}\``, ofText(setting), allowedText(setting), defaultText(setting), setting.text + marks(setting)),
      );
      const head = [
        row('variable', 'used by', 'values', 'default', 'what it does'),
        row('---', '---', '---', '---', '---'),
      ];
      return [`## ${title}`, '', ...head, ...rows].join('\n');
    })
    .join('\n\n');
}

/** The settings as `--help` of a command prints them. */
export function settingsHelp(listed: readonly CommandName[] | { readonly names: readonly string[] }): string {
  const sections = groups
    .map(({ title, settings }) => ({
      title,
      lines: Object.entries(settings)
        .filter(([name, { of }]) =>
          'names' in listed ? listed.names.includes(name) : of.some((command) => listed.includes(command)),
        )
        .flatMap(([name, setting]) => helpLines(name, setting)),
    }))
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines }) => [`${title}:`, ...lines].join('\n'));
  return `Settings are environment variables; an empty one counts as unset. Times are in milliseconds.

${sections.join('\n\n')}
`;
}

function helpLines(name: string, setting: Setting): string[] {
  const value = `${allowedText(setting)}; default: ${defaultText(setting) || 'none'}`;
  return [`  ${name}`, ...wrapped(asPlainText(setting.text)), ...wrapped(`(${asPlainText(value)})`)];
}

/** Removes Markdown. Links become names of pages, because an installed package does not contain the pages. */
function asPlainText(text: string): string {
  return text.replaceAll('`', '').replaceAll(/\[([\w-]+)\.md\]\([^()]*\)/g, 'the page "$1" of the documentation');
}

function wrapped(text: string): string[] {
  const width = 110;
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last && last.length + 1 + word.length > width) lines.push(word);
    else lines.splice(-1, 1, last ? `${last} ${word}` : word);
  }
  return lines.map((line) => `      ${line}`);
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function ofText({ of }: Setting): string {
  return of.map((command) => commandTexts[command]).join(', ');
}

function allowedText({ schema }: Pick<Setting, 'schema'>): string {
  return (schema as z.ZodType).description ?? '';
}

function marks({ isShared, isSecret }: Setting): string {
  const shared = isShared ? ' Must be the same on every gateway and worker.' : '';
  return shared + (isSecret === true ? ' Secret: never printed.' : '');
}

function defaultText({ default: value, defaults, defaultText: text }: Setting): string {
  if (text !== undefined) return text;
  if (defaults)
    return Object.entries(defaults)
      .map(([command, each]) => `${command} ${each}`)
      .join(', ');
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return Array.isArray(value) ? '' : String(value ?? '');
}
