import { setPriority } from 'node:os'
import { openCuda } from '../cuda/driver.ts'
import { openOpenCl } from '../opencl/driver.ts'
import { rootWords } from '../searcher.ts'
import { type FoundDevice, SLOTS } from './device.ts'
import type { FromDevice, ToDevice } from './process.ts'
import { type TunedKernel, tuneDevice } from './tune.ts'

/*
 * The process of one device. It loads the driver, so that a crash of the driver ends only this process. It ends when
 * the gateway ends.
 */
const TUNING_SECONDS = { card: 0.2, cpu: 0.1 }
/** Nice value: everything else on the processor has precedence, above all the gateway. */
const BEHIND_OTHERS = 10

const [library, index, kind] = process.argv.slice(2) as [FoundDevice['library'], string, FoundDevice['kind']]
const reply = (message: FromDevice) => void process.send?.(message)

interface Search {
  root: readonly bigint[]
  threshold: bigint
  start: bigint
  slot?: number
  stopped: boolean
}

const searches = new Map<number, Search>()
const freeSlots = Array.from({ length: SLOTS }, (_, slot) => slot)

function begin(tuned: TunedKernel): void {
  for (const [id, search] of searches) {
    if (freeSlots.length === 0) return
    if (search.slot !== undefined) continue
    search.slot = freeSlots.pop()!
    follow(tuned, id, search).catch(end)
  }
}

/** Launches until a nonce is found or the caller has left. */
async function follow(tuned: TunedKernel, id: number, search: Search): Promise<void> {
  const { kernel, rounds } = tuned
  const { root, threshold, slot } = search
  let { start } = search
  while (!search.stopped) {
    const nonce = await kernel.run(slot!, { root, start, rounds, threshold })
    if (nonce !== undefined) {
      if (!search.stopped) reply({ found: id, nonce })
      break
    }
    start = BigInt.asUintN(64, start + BigInt(kernel.width) * BigInt(rounds))
  }
  searches.delete(id)
  if (search.stopped) reply({ ended: id })
  freeSlots.push(slot!)
  begin(tuned)
}

function handle(tuned: TunedKernel, message: ToDevice): void {
  if ('search' in message) {
    const { search: id, root, threshold, start } = message
    searches.set(id, { root: rootWords(root), threshold, start, stopped: false })
    begin(tuned)
    return
  }
  const { stop: id } = message
  const search = searches.get(id)
  if (search?.slot === undefined) {
    searches.delete(id)
    reply({ ended: id })
  } else {
    search.stopped = true
    tuned.kernel.stop(search.slot)
  }
}

function end(error: unknown): void {
  process.send?.({ broken: error instanceof Error ? error.message : String(error) } satisfies FromDevice, () =>
    process.exit(1),
  )
}

function stepBack(): void {
  try {
    setPriority(BEHIND_OTHERS)
  } catch {
    // Under the shipped service unit it may not change its priority; it searches anyway.
  }
}

process.on('disconnect', () => process.exit(0))
try {
  if (kind === 'cpu') stepBack()
  const device = await (library === 'cuda' ? openCuda(Number(index)) : openOpenCl(Number(index)))
  const tuned = await tuneDevice(device, TUNING_SECONDS[kind])
  process.on('message', (message: ToDevice) => handle(tuned, message))
  reply({ ready: { shape: tuned.kernel.shape, rate: tuned.rate, shapes: tuned.shapes } })
} catch (error) {
  end(error)
}
