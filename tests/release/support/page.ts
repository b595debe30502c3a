import { blocksOf } from '../../docs/blocks.ts';

/** A step of a page: commands with the output of the last one, or a file to write. */
export type Step =
  | { readonly kind: 'run'; readonly commands: readonly string[]; readonly prints: string | undefined }
  | { readonly kind: 'write'; readonly file: string; readonly text: string };

/** The steps of a page: its `sh` blocks, each with a following `text` block, and its `ts` blocks, which are files. */
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
