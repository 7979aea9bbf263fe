/** Arguments with which a child process can run the sources directly. */
export const TYPESCRIPT = ['--import', new URL('../../scripts/typescript.mjs', import.meta.url).href]
