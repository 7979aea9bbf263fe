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
  /** Steps of each caller, before and after a restart. */
  steps: number
  /** A disk that ignores syncs of the store; losses must then be found. */
  lies?: boolean
  tell(line: string): void
}

export interface PowerReport {
  /** Acknowledged things that a power cut lost or damaged, a sentence for each. */
  losses: string[]
  figures: { operations: number; syncs: number; promises: number; cuts: number }
}

/** The file operations of a gateway in use, and its acknowledgements with their positions. */
export interface Recording {
  operations: FileOperation[]
  promises: Promised[]
  rootInode: bigint
}

/** Runs the built gateway on an empty disk, restarts it once, and kills it. */
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

/** Half of them random; half right after a sync or a rename, on which later writes rely. */
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

/** Cuts the power at moments of a recording, and checks what is left each time. */
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
