/**
 * A page with another text between `<!-- <name>: … -->` and `<!-- end of <name> -->`.
 * @throws {Error} it has no such place
 */
export function withSection(page: string, name: string, content: string): string {
  const [begin] = page.match(new RegExp(`<!-- ${name}: [^>]* -->`)) ?? [];
  const from = page.indexOf(begin ?? '') + (begin?.length ?? 0);
  const to = page.indexOf(`<!-- end of ${name} -->`);
  if (!begin || to < from) throw new Error(`The page has no place for ${name}.`);
  return `${page.slice(0, from)}\n\n${content}\n\n${page.slice(to)}`;
}
