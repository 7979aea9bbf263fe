import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../src/version.ts'
import { currentLines } from './api-lines.ts'

/* Stores the API of the version being released, for the next release's check: `npm run keep-api`. */

const file = join(import.meta.dirname, `api-${VERSION}.txt`)
writeFileSync(file, `${currentLines().join('\n')}\n`)
console.log(`${file} is written.`)
