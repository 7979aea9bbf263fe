import { expectedHashes } from '../../kernel/nano/work.ts'
import type { WorkRequest } from '../../kernel/ports.ts'
import { RANK, type SearchJob } from './search-job.ts'

/** Nobody queues behind more than this, whatever the estimate says. */
const JOBS_MAX = 1_000
/** What may be wanted later never takes the places of those who wait now. */
const PRECOMPUTE_MAX = 50

export interface QueueLimits {
  /** The longest wait in the queue that is worth beginning. */
  queueSecondsMax: number
  /** The longest anybody waits altogether. */
  waitSecondsMax: number
}

/** After how long to ask again for what the queue has no room for; 0 is let in at once. */
export function secondsToComeBack(
  request: WorkRequest,
  jobs: readonly SearchJob[],
  hashesPerSecond: number,
  { queueSecondsMax, waitSecondsMax }: QueueLimits,
): number {
  const rate = Math.max(1, hashesPerSecond)
  const waitingLater = jobs.filter(({ lead }) => lead?.class === 'precompute').length
  if (request.class === 'precompute') return waitingLater >= PRECOMPUTE_MAX ? 60 : 0
  if (jobs.length - waitingLater >= JOBS_MAX) return Math.ceil(hashesOf(jobs) / rate / 2) || 1
  // What is not likely to be found in time only keeps the machine from the others.
  if (expectedHashes(request.threshold) / rate > waitSecondsMax) return waitSecondsMax
  return Math.max(0, Math.ceil(secondsAhead(request, jobs, rate) - queueSecondsMax))
}

/** What all of these are expected to take. */
export function hashesOf(jobs: Iterable<SearchJob>): number {
  let hashes = 0
  for (const job of jobs) hashes += job.expectedHashes
  return hashes
}

/**
 * How long what comes first will take: everything more urgent; of the same urgency what is not dearer, and of each other
 * payer no more than its share while the newcomer waits for its own. Without that, one payer's long queue would keep
 * everybody out.
 */
function secondsAhead(
  { threshold, class: urgency, payer, weight = 1 }: WorkRequest,
  jobs: readonly SearchJob[],
  rate: number,
): number {
  const hashes = expectedHashes(threshold)
  let ahead = 0
  const others = new Map<string, { hashes: number; share: number }>()
  for (const { lead, expectedHashes: cost } of jobs) {
    if (!lead) continue
    const difference = RANK[lead.class] - RANK[urgency]
    if (difference < 0 || (difference === 0 && lead.payer === payer && cost <= hashes)) ahead += cost
    else if (difference === 0 && cost <= hashes) {
      const other = others.get(lead.payer) ?? { hashes: 0, share: (hashes * (lead.weight ?? 1)) / weight }
      other.hashes += cost
      others.set(lead.payer, other)
    }
  }
  for (const other of others.values()) ahead += Math.min(other.hashes, other.share)
  return ahead / rate
}
