import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TYPESCRIPT } from './typescript.ts'

export interface WriterProcess {
  /** Lets it begin. */
  start(): void
  /** Kills it after that many reported lines; returns all of them. */
  killAfter(lines: number): Promise<string[]>
}

const script = fileURLToPath(new URL('store-writer.ts', import.meta.url))
const compiled = join(tmpdir(), 'nano-gateway-compiled')
const root = fileURLToPath(new URL('../..', import.meta.url))

/** Starts a process that writes to a store; it loads at once and begins on command. */
export function spawnWriter(url: string): WriterProcess {
  // A Node that runs TypeScript by itself starts sooner.
  return spawnTeller(script, [url], process.features.typescript ? [] : TYPESCRIPT)
}

/** Starts a process that begins on command and reports line by line what it has done. */
export function spawnTeller(
  file: string,
  args: readonly string[],
  loader: readonly string[] = TYPESCRIPT,
): WriterProcess {
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled }
  const options = { cwd: root, env, stdio: ['pipe', 'pipe', 'inherit'] as ['pipe', 'pipe', 'inherit'] }
  const child = spawn(process.execPath, [...loader, file, ...args], options)
  const closed = once(child, 'close')
  let output = ''
  let told = 0
  let wanted = Infinity
  const killWhenTold = () => {
    if (told >= wanted) child.kill('SIGKILL')
  }
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
    for (const byte of chunk) if (byte === 0x0a) told++
    killWhenTold()
  })
  return {
    start: () => void child.stdin.write('go'),
    killAfter: async (lines) => {
      wanted = lines
      killWhenTold()
      const [, signal] = (await closed) as [number | null, string | null]
      if (signal !== 'SIGKILL') throw new Error('The writer ended by itself.')
      return output.split('\n').slice(0, -1)
    },
  }
}
