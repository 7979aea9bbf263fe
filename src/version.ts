import { readFileSync } from 'node:fs'

/** From package.json, which is one level above both src/ and dist/. */
export const VERSION = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version
