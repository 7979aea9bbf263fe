/*
 * `npm run power-loss -- --cuts 500 --seed 7`: see docs/reliability.md. Exits with 1 if a power cut loses anything acknowledged. With `--lies` the disk
 * ignores syncs of the store, and losses are expected.
 */
import { readOptions } from './options.ts'
import { cutPower, record } from './run.ts'

const { cuts, steps, seed, lies } = readOptions(process.argv.slice(2))
const tell = (line: string) => console.log(line)
tell(`seed ${seed}`)
const { losses, figures } = await cutPower(await record({ seed, steps }), { seed, cuts, lies, tell })
tell(
  Object.entries(figures)
    .map(([name, count]) => `${count} ${name}`)
    .join(', '),
)
tell(losses.length === 0 ? 'Nothing that was promised is lost.' : `${losses.length} losses.`)
process.exit(losses.length === 0 ? 0 : 1)
