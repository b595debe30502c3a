import { blocksOf } from '../../docs/blocks.ts';

/** A block of a page that is to be done: commands, with what the last one prints, or a file to be written. */
export type Step =
  | { readonly kind: 'run'; readonly commands: readonly string[]; readonly prints: string | undefined }
  | { readonly kind: 'write'; readonly file: string; readonly text: string };

/** The steps of a page: its blocks of `sh`, each with a block of `text` behind it, and those of `ts`, which are files. */
export function stepsOf(page: string): Step[] {
  const blocks = blocksOf(page);
  return blocks.flatMap(({ language, code, notes: { file } }, index): Step[] => {
    if (language === 'ts' && file) return [{ kind: 'write', file, text: code }];
    if (language !== 'sh') return [];
    const next = blocks[index + 1];
    const prints = next?.language === 'text' ? next.code.trim() : undefined;
    return [{ kind: 'run', commands: code.trim().split('\n'), prints }];
  });
}
