/*
 * Runs one built gateway and its ledger for a long time under all kinds of requests at a fixed, modest rate: `npm run soak -- --minutes 60 --seed 7`.
 * Every ten seconds its memory, handles, threads, event-loop delay and file sizes are written to a table (`--csv FILE`). `--write` draws the table to
 * docs/pictures/soak.svg; `--read FILE` judges and draws the table of an earlier run. Exits with 1 if the second half is worse than the first or an answer
 * was wrong.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { RecordedGateway } from '../test/power/recorded-gateway.ts'
import { freePort } from '../test/support/free-port.ts'
import { SeededRandom } from '../test/support/random.ts'
import { describeMachine } from './kit/machine.ts'
import { judgeDrift } from './soak/drift.ts'
import { SoakLoad } from './soak/load.ts'
import { readOptions } from './soak/options.ts'
import { drawSoak } from './soak/picture.ts'
import { COLUMNS, readSamples, takeSample, toLine } from './soak/sample.ts'

const PICTURE = fileURLToPath(new URL('../docs/pictures/soak.svg', import.meta.url))
const EVERY = 10_000
const TOLD_EVERY = 30

const options = readOptions(process.argv.slice(2))

/** Returns a sentence for each failure. */
async function soak(): Promise<string[]> {
  const { minutes, seed, csv } = options
  console.log(`${describeMachine()}\nseed ${seed}, ${minutes} minutes, samples in ${csv}`)
  const disk = mkdtempSync(join(tmpdir(), 'nano-gateway-soak-'))
  const [port, metricsPort] = [await freePort(), await freePort()]
  const env = {
    METRICS_PORT: String(metricsPort),
    LIMIT_FREE_PER_MINUTE: '0',
    LIMIT_FREE_CONCURRENCY: '0',
    FREE_SENDS_PER_MONTH: '0',
  }
  const gateway = new RecordedGateway({ disk, port, env })
  const load = new SoakLoad(gateway.url, new SeededRandom(seed))
  process.once('exit', () => void gateway.end('SIGKILL'))
  try {
    await gateway.start()
    await load.open(gateway.administratorKey)
    load.begin()
    const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
    const watched = { pid: gateway.pid, folder: join(disk, 'data'), metricsUrl }
    const began = performance.now()
    writeFileSync(csv, `${COLUMNS.join(',')}\n`)
    for (let at = 1; at * EVERY <= minutes * 60_000; at++) {
      await delay(Math.max(0, began + at * EVERY - performance.now()))
      const sample = await takeSample(watched, (performance.now() - began) / 1_000, load.takeTimes())
      appendFileSync(csv, `${toLine(sample)}\n`)
      if (at % TOLD_EVERY === 0) console.log(`${toLine(sample)} ${JSON.stringify(load.counts)}`)
    }
    await load.rest()
    console.log(JSON.stringify(load.counts, null, 1))
    return Object.entries(load.counts.failed).map(
      ([kind, { count, last }]) => `${kind}: ${count} times, at last ${last}`,
    )
  } finally {
    load.close()
    await gateway.end('SIGTERM')
    rmSync(disk, { recursive: true, force: true })
  }
}

const failed = options.read === undefined ? await soak() : []
const samples = readSamples(readFileSync(options.read ?? options.csv, 'utf8'))
const { table, wrong } = judgeDrift(samples)
console.log(table)
for (const line of [...failed, ...wrong]) console.log(`WRONG: ${line}`)
if (options.write) writeFileSync(PICTURE, drawSoak(samples))
process.exit(failed.length + wrong.length === 0 ? 0 : 1)
