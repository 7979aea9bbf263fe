import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { onStop } from '../cli/stop.ts'
import { type Config, inheritedWith } from '../config/config.ts'
import { refuseTaken } from '../http/listen.ts'
import { systemClock } from '../infra/clock.ts'
import type { Log } from '../infra/log.ts'
import { systemRandom } from '../infra/random.ts'
import type { Begun, FrontFacts, Order, Place } from './lines.ts'

/** Pause before a process is restarted: one that ended at once would probably do so again. */
const AGAIN_AFTER = 1_000
/** The longest time for closing, beside the time that requests get. */
const CLOSING_MAX = 15_000
/** Makes glibc return memory that threads have freed; by default it keeps up to 64 MB for each. It reads this when it starts. */
const ALLOCATOR = { MALLOC_TRIM_THRESHOLD_: '2097152', MALLOC_MMAP_THRESHOLD_: '1048576' }

/** How many processes answer requests. */
export function frontsOf({ processes }: Pick<Config, 'processes'>): number {
  const fronts = processes === 'auto' ? availableParallelism() : processes
  if (fronts === 1 || process.platform === 'linux') return fronts
  if (processes === 'auto') return 1
  throw new Error('PROCESSES above 1 needs Linux, where several processes can listen on one port. Set PROCESSES=1.')
}

/** Starts the owner of the store, then the fronts; restarts those that end, and ends all of them when asked. */
export async function superviseProcesses(config: Config, { fronts, log }: { fronts: number; log: Log }): Promise<void> {
  // A folder that only our own user can enter.
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const place: Place = {
    secret: Buffer.from(systemRandom.bytes(32)).toString('hex'),
    ownerSocket: join(folder, 'owner'),
    linkSocket: join(folder, 'link'),
    port: await findPort(config),
    fronts,
  }
  const endMax = config.drainNoticeMilliseconds + config.drainMilliseconds + CLOSING_MAX
  const gateway = new ProcessGroup(place, log, endMax)
  onStop(async () => {
    log.info({ event: 'draining' })
    await gateway.stop()
    log.info({ event: 'stopped' })
    await new Promise<void>((resolve) => log.flush(() => resolve()))
  })
  await gateway.start()
}

class ProcessGroup {
  readonly #place: Place
  readonly #log: Log
  readonly #fronts = new Set<ChildProcess>()
  #owner: ChildProcess | undefined
  #facts: FrontFacts | undefined
  readonly #endMax: number
  #stopping = false

  constructor(place: Place, log: Log, endMax: number) {
    this.#place = place
    this.#log = log
    this.#endMax = endMax
  }

  /** All or none: if a process fails at its first start, the operator has made a mistake, which was reported. */
  async start(): Promise<void> {
    try {
      await this.#beginOwner()
      await Promise.all(Array.from({ length: this.#place.fronts }, () => this.#beginFront()))
    } catch (error) {
      await this.stop()
      throw error
    }
    say(this.#owner!, { announce: this.#place.fronts })
  }

  /** The owner outlives the fronts, which hand over to it until they have ended. */
  async stop(): Promise<void> {
    this.#stopping = true
    if (this.#owner) say(this.#owner, 'goodbye')
    await Promise.all([...this.#fronts].map((front) => end(front, this.#endMax)))
    if (this.#owner) await end(this.#owner, this.#endMax)
  }

  async #beginOwner(): Promise<void> {
    const owner = this.#fork('owner')
    this.#owner = owner
    const facts = (await begin(owner, { begin: this.#place })) as FrontFacts
    const isSame = this.#facts === undefined || JSON.stringify(facts) === JSON.stringify(this.#facts)
    this.#facts = facts
    owner.once('exit', () => {
      this.#owner = undefined
      this.#again(() => this.#beginOwner())
    })
    // Fronts answer by the facts of the earlier owner; their replacements get the new ones.
    if (!isSame) for (const front of this.#fronts) say(front, 'stop')
  }

  async #beginFront(): Promise<void> {
    const front = this.#fork('front')
    this.#fronts.add(front)
    front.once('exit', () => this.#fronts.delete(front))
    await begin(front, { begin: this.#place, facts: this.#facts! })
    front.once('exit', () => this.#again(() => this.#beginFront()))
  }

  #again(run: () => Promise<void>, after = 0): void {
    if (this.#stopping) return
    systemClock.after(after, () => {
      if (this.#stopping) return
      run().catch((error: unknown) => {
        this.#log.error({ event: 'process_failed', reason: error instanceof Error ? error.message : String(error) })
        this.#again(run, AGAIN_AFTER)
      })
    })
  }

  #fork(role: 'owner' | 'front'): ChildProcess {
    const env = inheritedWith(ALLOCATOR)
    const child = fork(process.argv[1]!, ['start', '--as', role], { serialization: 'advanced', env })
    const { pid } = child
    this.#log.info({ event: 'process_started', role, pid })
    child.once('exit', (code, signal) => {
      const line = { event: 'process_ended', role, pid, code, signal }
      if (this.#stopping) this.#log.info(line)
      else this.#log.error(line)
    })
    return child
  }
}

const say = (child: ChildProcess, order: Order) => child.connected && child.send(order)

/** Resolves with the process's first answer; rejects when it ends before. */
function begin(child: ChildProcess, order: Order): Promise<FrontFacts | true> {
  return new Promise((resolve, reject) => {
    child.once('message', (word) => resolve((word as Begun).begun))
    child.once('exit', () => reject(new Error('One of its processes could not start.')))
    child.once('error', reject)
    say(child, order)
  })
}

async function end(child: ChildProcess, milliseconds: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  say(child, 'stop')
  const kill = systemClock.after(milliseconds, () => child.kill('SIGKILL'))
  await ended
  kill()
}

/** Finds a free port: fronts share theirs with any process that asks, so no other program may use it already. */
async function findPort({ port, host }: Config): Promise<number> {
  const server = createServer()
  server.listen({ port, host })
  await once(server, 'listening').catch(refuseTaken(port))
  const { port: found } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return found
}
