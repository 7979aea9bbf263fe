/*
 * Sends hostile input to a whole gateway: `npm run fuzz -- --inputs 200000 --seed 7`. A seed gives the same requests as long as the answers come in the
 * same order. Findings are printed with the bytes that caused them.
 */
import { describe, fuzz } from './fuzz.ts'
import { readOptions } from './options.ts'

const { inputs, seed } = readOptions(process.argv.slice(2))
console.log(`seed ${seed}`)
const report = await fuzz({ inputs, seed, onProgress: (done) => console.log(`${done} inputs`) })
console.log(describe(report, seed))
// Requests leave data only in the store and in bounded caches, so more growth than this is a leak.
const GROWTH_MAX = 48
const grown = report.memory.after - report.memory.before
if (grown > GROWTH_MAX) console.log(`memory grew by ${grown} MiB, which is more than ${GROWTH_MAX}`)
process.exitCode = report.findings.length > 0 || grown > GROWTH_MAX ? 1 : 0
