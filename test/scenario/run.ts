import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEV_NETWORK } from '../../src/kernel/nano/network.ts'
import type { Lifetime } from '../support/gateway.ts'
import type { Options } from './options.ts'
import { compareShapes } from './shapes.ts'
import { expire, ignoreTheOld, pay, payInParts } from './steps/checkout.ts'
import { beReady, fund, giveBack, refuse } from './steps/ledger.ts'
import { buyName, payByMail, payByRequest, useWallet } from './steps/services.ts'
import { type Ground, Walker } from './walker.ts'

/** In this order: the gateway's clock is advanced near the end, and the money is returned last. */
const STEPS: readonly [title: string, run: (walker: Walker) => Promise<void>][] = [
  ['the gateway is ready', beReady],
  ['an account is funded', fund],
  ['what the ledger refuses is told in its words', refuse],
  ['a checkout is paid, and its shop is told', pay],
  ['a checkout is paid in parts, and too much', payInParts],
  ['an old payment on an address pays nothing', ignoreTheOld],
  ['a cloud wallet receives and sends', useWallet],
  ['a request is paid for with a block', payByRequest],
  ['a name is bought, and who comes second refunded', buyName],
  ['an email payment is claimed', payByMail],
  ['a checkout that nobody pays expires', expire],
  ['the money goes back', giveBack],
]
/** The steps that all others depend on. */
const NEEDED = 2

interface Outcome {
  title: string
  /** Unset if the step succeeded. */
  failure?: string
  seconds: number
}

interface Walk {
  outcomes: Outcome[]
  answers: Walker['answers']
  /** The folder with the wallets of a failed scenario's gateway. */
  kept?: string
}

export interface Report {
  here: Walk
  there: Walk
  differences: string[]
}

/** Runs the scenario on the development ledger and on the given node in parallel. */
export async function runScenario(
  { nodeUrls, nodeWsUrls, network, funds }: Options,
  { tell = () => undefined, steps = STEPS.length }: { tell?: (line: string) => void; steps?: number } = {},
): Promise<Report> {
  const begin = (where: string, ground: Omit<Ground, 'firstAccount'>) =>
    walk({ ...ground, firstAccount }, { steps: STEPS.slice(0, steps), tell: (line) => tell(`${where}: ${line}`) })

  const env = {
    NODE_URLS: nodeUrls,
    NODE_WS_URLS: nodeWsUrls,
    NODE_NETWORK: network,
    WORK_THREADS: 'auto',
    WORK_NODES: 'false',
  }
  const firstAccount = randomInt(2 ** 31)
  const [here, there] = await Promise.all([
    begin('here', { env: {}, funds: DEV_NETWORK.genesisPrivateKey }),
    begin('there', { env, funds }),
  ])
  return { here, there, differences: compare(here, there) }
}

async function walk(
  ground: Ground,
  { steps, tell }: { steps: typeof STEPS; tell: (line: string) => void },
): Promise<Walk> {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-scenario-'))
  const ends: (() => unknown)[] = []
  const lifetime: Lifetime = { after: (end) => void ends.unshift(end) }
  const outcomes: Outcome[] = []
  const answers: Walker['answers'] = new Map()
  try {
    const walker = await Walker.open(lifetime, { ...ground, env: { DATA_DIR: folder, ...ground.env } })
    for (const [at, [title, run]] of steps.entries()) {
      const startedAt = performance.now()
      const blocked = outcomes.slice(0, NEEDED).some(({ failure }) => failure !== undefined)
      const failure = blocked ? 'not begun' : await attempt(() => run(walker))
      const seconds = (performance.now() - startedAt) / 1_000
      tell(`${title}: ${failure ?? 'passed'} (${seconds.toFixed(1)} s)`)
      outcomes[at] = { title, seconds, ...(failure !== undefined && { failure }) }
    }
    for (const [what, shape] of walker.answers) answers.set(what, shape)
  } finally {
    for (const end of ends) await end()
  }
  if (outcomes.some(({ failure }) => failure !== undefined)) return { outcomes, answers, kept: folder }
  rmSync(folder, { recursive: true, force: true })
  return { outcomes, answers }
}

async function attempt(run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Compares only requests made on both sides: requests that a failed step left out are reported by that step. */
function compare(here: Walk, there: Walk): string[] {
  return [...here.answers].flatMap(([what, shape]) => {
    const other = there.answers.get(what)
    return other ? compareShapes(shape, other).map((difference) => `${what}: ${difference}`) : []
  })
}

export const hasFailed = ({ here, there }: Report) =>
  [here, there].some(({ outcomes }) => outcomes.some(({ failure }) => failure !== undefined))
