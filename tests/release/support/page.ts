import { readFileSync } from 'node:fs';

/** A block of a page that is to be done: commands, with what the last one prints, or a file to be written. */
export type Step =
  | { readonly kind: 'run'; readonly commands: readonly string[]; readonly prints: string | undefined }
  | { readonly kind: 'write'; readonly file: string; readonly text: string };

/** The steps of a page: its blocks of `sh`, each with a block of `text` behind it, and those of `ts`. */
export function stepsOf(page: string): Step[] {
  const blocks = [...readFileSync(page, 'utf8').matchAll(/([^`]*(?:`[^`\n]+`[^`]*)*)^```(\w+)\n(.*?)^```$/gms)];
  return blocks.flatMap(([, before = '', language, text = ''], index): Step[] => {
    if (language === 'ts') return [{ kind: 'write', file: lastFileIn(before), text }];
    if (language !== 'sh') return [];
    const [, , following, printed] = blocks[index + 1] ?? [];
    const prints = following === 'text' ? printed?.trim() : undefined;
    return [{ kind: 'run', commands: text.trim().split('\n'), prints }];
  });
}

/** The text before a block names its file last. */
function lastFileIn(text: string): string {
  const [, file] = [...text.matchAll(/`([\w.-]+\.ts)`/g)].at(-1) ?? [];
  if (file === undefined) throw new Error(`no file is named before a block of TypeScript:\n${text}`);
  return file;
}
