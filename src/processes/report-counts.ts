import type { Metrics } from '../infra/metrics.ts'
import { type FrontLine, SHARED_COUNTERS } from './lines.ts'
import type { OwnerLink } from './owner-link.ts'

const EVERY = 1_000

/** Tells the owner what was counted here, so that its metrics have the sum. A front that dies takes a second's counts along. */
export function reportCounts(metrics: Metrics, link: OwnerLink): () => Promise<void> {
  const report = async () => {
    if (!link.connected) return
    const counts = metrics.takeCounts()
    if (counts) link.say({ counts })
    const counters: Extract<FrontLine, { counters: unknown }>['counters'] = []
    for (const name of SHARED_COUNTERS) {
      const { values } = await metrics[name].get()
      metrics[name].reset()
      for (const { labels, value } of values) {
        if (value > 0) counters.push([name, labels, value])
      }
    }
    if (counters.length > 0) link.say({ counters })
  }
  const timer = setInterval(() => void report(), EVERY)
  timer.unref()
  return () => {
    clearInterval(timer)
    return report()
  }
}
