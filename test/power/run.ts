import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { SeededRandom } from '../support/random.ts'
import { checkFolder } from './checks.ts'
import { Disk, type Leaves } from './disk.ts'
import { Load, type Promised } from './load.ts'
import { type FileOperation, readOperations } from './log.ts'
import { RecordedGateway } from './recorded-gateway.ts'
import { compileRecorder } from './recorder.ts'

export interface PowerOptions {
  seed: number
  cuts: number
  /** How much each of the callers does, before and after a restart. */
  steps: number
  /** A disk that says it has synced the store, and has not: what was promised must then be missed. */
  lies?: boolean
  tell(line: string): void
}

export interface PowerReport {
  /** What a power cut took that was promised, or left broken, each in a sentence. */
  losses: string[]
  figures: { operations: number; syncs: number; promises: number; cuts: number }
}

/** What a gateway did to its files while it was used, and what it had promised by when. */
export interface Recording {
  operations: FileOperation[]
  promises: Promised[]
  rootInode: bigint
}

/** Runs the built gateway on an empty disk, stops and starts it once, and ends it without a word. */
export async function record({ seed, steps }: Pick<PowerOptions, 'seed' | 'steps'>): Promise<Recording> {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-power-'))
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const recorded = compileRecorder(folder)
  const gateway = new RecordedGateway({ disk, port: await freePort(), recorded })
  const load = new Load(gateway, new SeededRandom(seed))
  try {
    await gateway.start()
    await load.open()
    await load.run(steps)
    await gateway.end('SIGTERM')
    await gateway.start()
    await load.run(steps)
    await gateway.end('SIGKILL')
    const rootInode = statSync(disk, { bigint: true }).ino
    return { operations: readOperations(recorded.log), promises: load.promises, rootInode }
  } finally {
    load.close()
    await gateway.end('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Half of them anywhere; half where something was just synced or named, which others go on to rely on. */
function chooseMoments(operations: readonly FileOperation[], cuts: number, random: SeededRandom): Set<number> {
  const telling = [...operations.keys()].filter((at) => !['write', 'truncate'].includes(operations[at]!.kind))
  const moments = new Set<number>()
  while (moments.size < Math.min(cuts, operations.length / 2)) {
    moments.add(1 + (random.below(2) === 0 ? random.pick(telling) : random.below(operations.length)))
  }
  return moments
}

const LOSSES_TOLD = 20
const LEAVES: readonly Leaves[] = ['nothing', 'some', 'some', 'some', 'everything']

/** Cuts the power at moments of a recording, and looks at what is left each time. */
export async function cutPower(recording: Recording, options: Omit<PowerOptions, 'steps'>): Promise<PowerReport> {
  const { operations, promises, rootInode } = recording
  const { seed, cuts, lies = false, tell } = options
  const random = new SeededRandom(seed + 1)
  const moments = chooseMoments(operations, cuts, random)
  const stores = new Set(
    operations.flatMap((operation) =>
      operation.kind === 'create' && operation.path.includes('gateway.db') ? [operation.inode] : [],
    ),
  )
  const disk = new Disk(rootInode)
  const losses: string[] = []
  let done = 0
  for (const [at, operation] of operations.entries()) {
    if (!(lies && operation.kind === 'sync' && stores.has(operation.inode))) disk.apply(operation)
    if (!moments.has(at + 1)) continue
    const leaves = random.pick(LEAVES)
    const found = await look(disk, { leaves, random, promises: promises.filter((one) => one.at <= operation.until) })
    for (const loss of found) {
      losses.push(`cut ${at + 1}, which leaves ${leaves}: ${loss}`)
      if (losses.length <= LOSSES_TOLD) tell(`LOST: ${losses.at(-1)}`)
    }
    if (++done % 100 === 0) tell(`${done} of ${moments.size} cuts, ${losses.length} losses`)
  }
  const syncs = operations.filter(({ kind }) => kind === 'sync').length
  return { losses, figures: { operations: operations.length, syncs, promises: promises.length, cuts: moments.size } }
}

async function look(
  disk: Disk,
  { leaves, random, promises }: { leaves: Leaves; random: SeededRandom; promises: Promised[] },
): Promise<string[]> {
  const target = mkdtempSync(join(tmpdir(), 'nano-gateway-after-cut-'))
  try {
    disk.cut(target, leaves, random)
    return await checkFolder(join(target, 'data'), promises)
  } catch (error) {
    return [`it does not open: ${error instanceof Error ? error.message : String(error)}`]
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
}
