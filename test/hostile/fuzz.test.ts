import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { SEED } from '../support/random.ts'
import { isThorough } from '../support/thorough.ts'
import { TYPESCRIPT } from '../support/typescript.ts'

/* Sends all kinds of input to every action and route in the server's own tables: good, bad, broken, and not HTTP at all. */

const INPUTS = isThorough ? 20_000 : 6_000
const PROCESSES = Math.min(4, Math.max(2, availableParallelism()))
const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))

/** Each run has its own process, so that other tests do not affect its memory. */
async function run(
  signal: AbortSignal,
  inputs: number,
  seed: number,
): Promise<{ code: number | null; output: string }> {
  const options = ['--max-semi-space-size=32', ...TYPESCRIPT, MAIN, '--inputs', String(inputs), '--seed', String(seed)]
  const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'pipe'], signal })
  child.on('error', () => undefined)
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, output }
}

test(
  `${INPUTS.toLocaleString('en')} hostile inputs: no failure, no hang, no word too much, and memory stays flat`,
  { timeout: 1_800_000 },
  async (t) => {
    const share = Math.ceil(INPUTS / PROCESSES)
    const runs = await Promise.all(Array.from({ length: PROCESSES }, (_, at) => run(t.signal, share, SEED + at)))
    for (const { output } of runs) for (const line of output.trim().split('\n')) t.diagnostic(line.slice(0, 2_000))
    const failed = runs.filter(({ code }) => code !== 0).map(({ output }) => output.trim())
    assert.deepEqual(failed, [], `SEED=${SEED} repeats it:\n${failed.join('\n')}`)
  },
)
