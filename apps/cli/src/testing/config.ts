/** Where programs are looked for. */
export const programPath = process.env.PATH ?? '';
