/* `npm run chaos -- --minutes 10 --seed 7`: see docs/operating.md. Ends with 1 when something must not be as it is. */
import { parseArgs } from 'node:util'
import { SEED } from '../support/random.ts'
import { runChaos } from './run.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } })
const minutes = Number(values.minutes ?? 10)
const seed = Number(values.seed ?? SEED)
if (!(minutes > 0) || !Number.isSafeInteger(seed)) throw new Error('Usage: npm run chaos -- --minutes 10 --seed 7')
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const { breaches, figures } = await runChaos({
  seed,
  milliseconds: minutes * 60_000,
  tell: (line) => console.log(line),
})
for (const line of figures) console.log(`  ${line}`)
for (const breach of breaches) console.log(`BREACH: ${breach}`)
process.exit(breaches.length === 0 ? 0 : 1)
