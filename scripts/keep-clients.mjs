// Runs the tests with third-party clients and writes the table of docs/clients.md from the results: `npm run keep-clients`.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const gallery = 'test/gallery'
process.env.CLIENTS_TABLE = 'write'
const walks = readdirSync(join(import.meta.dirname, '..', gallery)).filter((name) => name.endsWith('.test.ts'))
process.argv.push(...walks.map((name) => `${gallery}/${name}`))
await import('./test.mjs')
