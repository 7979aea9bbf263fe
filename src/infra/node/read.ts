import { Leaving } from '../../kernel/leaving.ts'
import type { Clock, NodeAnswer } from '../../kernel/ports.ts'
import { UpstreamFailure, toFailure } from './failure.ts'
import type { Reply, Upstream } from './upstream.ts'

const HEDGE_MIN = 50
const HEDGE_MAX = 1_000
const HOLDER_WAIT = 3_000
/** How long a "not found" of a later node waits for a node that was asked before. */
const DOUBT_MAX = 1_000

interface ReadOutcome extends Reply {
  upstream: Upstream
  hedged: boolean
}

export interface ReadLimits {
  /** For all nodes together. */
  timeoutMilliseconds: number
  /** Reports that the caller has left. */
  leaving?: Leaving | undefined
  /** The first node knows more than the others, so wait for it almost to the end. */
  asksHolder?: boolean
  /** A client wrote the question, so any error of the node is an answer to it. */
  verbatim?: boolean
}

/**
 * Asks nodes in order until one answers. The next node is asked when one has failed or is slower than usual. The first
 * good answer is used, and the other requests are cancelled.
 */
export function readFromNodes(
  clock: Clock,
  nodes: readonly Upstream[],
  body: string,
  { timeoutMilliseconds, leaving, asksHolder, verbatim }: ReadLimits,
): Promise<ReadOutcome> {
  return new Promise((resolve, reject) => {
    const deadline = clock.now() + timeoutMilliseconds
    const aborts = new Set<Leaving>()
    let next = 0
    let hedges = 0
    let doubtful: ReadOutcome | undefined
    let cancelHedge: (() => void) | undefined
    let cancelDoubt: (() => void) | undefined
    let settled = false

    const settle = (finish: () => void) => {
      if (settled) return
      settled = true
      cancelHedge?.()
      cancelDoubt?.()
      for (const abort of aborts) abort.leave()
      finish()
    }
    const accept = (outcome: ReadOutcome) => settle(() => resolve(outcome))

    const ask = () => {
      const upstream = nodes[next++]
      if (!upstream) return
      const abort = new Leaving()
      aborts.add(abort)
      upstream.read(body, deadline - clock.now(), { leaving: abort, verbatim }).then(
        ({ answer, text }) => {
          aborts.delete(abort)
          const outcome = { answer, text, upstream, hedged: hedges > 0 }
          // A node that is behind is quick to answer "not found"; a node asked before may know better.
          if (aborts.size > 0 && isEmpty(answer)) {
            doubtful ??= outcome
            cancelDoubt ??= clock.after(DOUBT_MAX, () => accept(outcome))
          } else accept(outcome)
        },
        (error: unknown) => {
          aborts.delete(abort)
          if (settled) return
          if (next < nodes.length) ask()
          else if (aborts.size === 0) settle(() => (doubtful ? resolve(doubtful) : reject(toFailure(error))))
        },
      )
      cancelHedge?.()
      if (next < nodes.length) {
        const usual = upstream.latencies.p95 ?? HEDGE_MAX / 4
        const wait = asksHolder && next === 1 ? HOLDER_WAIT : Math.min(Math.max(usual, HEDGE_MIN), HEDGE_MAX)
        cancelHedge = clock.after(wait, () => {
          hedges++
          ask()
        })
      }
    }
    if (nodes.length === 0) {
      reject(new UpstreamFailure('refused', 'no node may be asked'))
      return
    }
    leaving?.onLeave(() => settle(() => reject(new UpstreamFailure('aborted', 'nobody waits'))))
    ask()
  })
}

function isEmpty(answer: NodeAnswer): boolean {
  return typeof answer.error === 'string' && answer.error.endsWith('not found')
}
