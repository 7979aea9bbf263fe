/* `npm run chaos -- --minutes 10 --seed 7 [--node http://…]`: see docs/reliability.md. Exits with 1 if an invariant is broken. */
import { readOptions } from './options.ts'
import { runChaos } from './run.ts'

const readOrExit = () => {
  try {
    return readOptions(process.argv.slice(2), process.env)
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(2)
  }
}
const { minutes, seed, node } = readOrExit()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const { breaches, figures } = await runChaos({
  seed,
  milliseconds: minutes * 60_000,
  node,
  tell: (line) => console.log(line),
})
for (const line of figures) console.log(`  ${line}`)
for (const breach of breaches) console.log(`BREACH: ${breach}`)
process.exit(breaches.length === 0 ? 0 : 1)
