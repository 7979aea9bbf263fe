/*
 * `npm run power-loss -- --cuts 500 --seed 7`: see docs/reliability.md. Ends with 1 when a power cut takes what was promised. With --lies the disk
 * says that it has synced the store and has not, and losses are what is expected.
 */
import { parseArgs } from 'node:util'
import { SEED } from '../support/random.ts'
import { cutPower, record } from './run.ts'

const LOSSES_SHOWN = 20

const { values } = parseArgs({
  options: {
    cuts: { type: 'string', default: '500' },
    steps: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(SEED) },
    lies: { type: 'boolean', default: false },
  },
})
const [cuts, steps, seed] = [values.cuts, values.steps, values.seed].map(Number) as [number, number, number]
const tell = (line: string) => console.log(line)
tell(`seed ${seed}`)
const { losses, figures } = await cutPower(await record({ seed, steps }), { seed, cuts, lies: values.lies, tell })
tell(
  Object.entries(figures)
    .map(([name, count]) => `${count} ${name}`)
    .join(', '),
)
for (const loss of losses.slice(0, LOSSES_SHOWN)) tell(`LOST: ${loss}`)
tell(losses.length === 0 ? 'Nothing that was promised is lost.' : `${losses.length} losses.`)
process.exit(losses.length === 0 ? 0 : 1)
