/** Lets a process of its own run the sources as they are. */
export const TYPESCRIPT = ['--import', new URL('../../scripts/typescript.mjs', import.meta.url).href]
