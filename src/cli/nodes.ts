import { UsageError } from './gateway-access.ts'
import { systemClock } from '../infra/clock.ts'
import { type Candidate, type Found, askAbout, examine } from '../infra/node/candidate.ts'
import { LAG_BLOCKS_MAX } from '../infra/node/limits.ts'
import type { NetworkName } from '../kernel/nano/network.ts'
import { showAnswer } from './show-answer.ts'

/** How many simultaneous requests a node must answer, because many payers may come at once. */
const BURST_MIN = 20

interface Checked extends Found {
  /** Why a gateway should not use the node; empty if it may. */
  problems: string[]
}

/** Tests nodes for what a gateway needs, and prints which of them can be used and with which settings. */
export async function checkNodes(
  urls: string[],
  { network, json }: { network: NetworkName; json?: true },
): Promise<void> {
  const candidates = toCandidates(urls)
  if (!json) console.error(`Asking ${candidates.length === 1 ? 'the node' : `${candidates.length} nodes`} …`)
  const found = await Promise.all(candidates.map((candidate) => examine(candidate, network, systemClock)))
  const checked = await compare(found)
  const settings = toSettings(
    checked.filter(({ problems }) => problems.length === 0),
    network,
  )
  if (json) console.log(JSON.stringify({ nodes: checked, settings }, null, 2))
  else print(checked, settings)
  if (checked.some(({ problems }) => problems.length > 0)) process.exitCode = 1
}

/** A websocket address belongs to the node before it in the list. */
function toCandidates(urls: readonly string[]): Candidate[] {
  const candidates: Candidate[] = []
  for (const text of urls) {
    const protocol = URL.canParse(text) ? new URL(text).protocol : ''
    const last = candidates.at(-1)
    if (protocol === 'http:' || protocol === 'https:') candidates.push({ url: text, wsUrl: undefined })
    else if ((protocol === 'ws:' || protocol === 'wss:') && last?.wsUrl === undefined && last) last.wsUrl = text
    else
      throw new UsageError(
        `“${text}” is not the address of a node. Write https://…, followed by wss://… for its websocket.`,
      )
  }
  return candidates
}

/**
 * Finds faults that only a comparison shows: a node that is behind, or that denies a block which another node reports
 * as confirmed.
 */
async function compare(found: readonly Found[]): Promise<Checked[]> {
  const most = Math.max(0, ...found.filter(({ isOurs }) => isOurs).map(({ cemented }) => cemented ?? 0))
  return Promise.all(
    found.map(async (one) => {
      const problems = problemsOf(one)
      if (one.isOurs && one.cemented !== undefined && most - one.cemented > LAG_BLOCKS_MAX) {
        problems.push(`it is ${most - one.cemented} blocks behind`)
      }
      const others = found.filter((other) => other !== one && other.isOurs)
      const confirmedElsewhere = [...new Set(others.flatMap(({ confirmed }) => confirmed.slice(0, 3)))]
      const denied = one.isOurs ? await askAbout(one, confirmedElsewhere, systemClock) : []
      if (denied.length > 0)
        problems.push(`it does not confirm ${denied.length} of ${confirmedElsewhere.length} blocks that others do`)
      return { ...one, problems }
    }),
  )
}

function problemsOf({ isOurs, reason, missing, burst, receivesEvents, cemented }: Found): string[] {
  if (!isOurs) return [reason ?? 'it does not say which ledger it has']
  return [
    cemented === undefined && 'it does not count its blocks',
    missing.length > 0 && `it does not serve ${missing.join(', ')}`,
    burst < BURST_MIN && `it answered ${burst} of ${BURST_MIN} requests at once`,
    receivesEvents === false && 'its websocket does not accept a subscription',
  ].filter((problem) => problem !== false)
}

/** Settings for the usable nodes. If there is only one, the gateway has to trust it alone. */
function toSettings(good: readonly Found[], network: NetworkName): Record<string, string> {
  if (good.length === 0) return {}
  return {
    NODE_NETWORK: network,
    NODE_URLS: good.map(({ url }) => url).join(','),
    ...(good.some(({ wsUrl }) => wsUrl !== undefined) && {
      NODE_WS_URLS: good.map(({ wsUrl = '' }) => wsUrl).join(','),
    }),
    CONFIRM_NODES: String(Math.min(good.length, 2)),
  }
}

function print(checked: readonly Checked[], settings: Record<string, string>): void {
  const table = checked.map((one) => ({
    node: new URL(one.url).host,
    version: one.version ?? '?',
    blocks: one.cemented ?? '?',
    'ms an answer': one.milliseconds ?? '?',
    'at once': one.isOurs ? `${one.burst} of ${BURST_MIN}` : '?',
    'keeps connections': one.isOurs ? (one.keepsOpen ? 'yes' : 'no') : '?',
    websocket:
      one.wsUrl === undefined
        ? 'not given'
        : one.receivesEvents === undefined
          ? '?'
          : one.receivesEvents
            ? 'works'
            : 'silent',
    verdict: one.problems.length === 0 ? 'good' : 'do not use',
  }))
  console.log(showAnswer(table))
  for (const { url, problems } of checked)
    for (const problem of problems) console.log(`${new URL(url).host}: ${problem}`)
  const names = Object.keys(settings)
  if (names.length === 0) {
    console.log('\nNone of them can be used.')
    return
  }
  console.log('\nSettings for those that are good:\n')
  for (const name of names) console.log(`${name}='${settings[name]}'`)
  if (settings.CONFIRM_NODES === '1') console.log('\nOne node must be believed: add others, so that two must agree.')
}
