import { expectedHashes } from '../../kernel/nano/work.ts'
import type { WorkRequest } from '../../kernel/ports.ts'
import { RANK } from './search-job.ts'
import type { SearchQueue } from './search-queue.ts'

/** No caller queues behind more than this, whatever the estimate says. */
const JOBS_MAX = 20_000
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
  queue: SearchQueue,
  hashesPerSecond: number,
  { queueSecondsMax, waitSecondsMax }: QueueLimits,
): number {
  const rate = Math.max(1, hashesPerSecond)
  let waitingLater = 0
  for (const group of queue.groups) if (group.class === 'precompute') waitingLater += group.size
  if (request.class === 'precompute') return waitingLater >= PRECOMPUTE_MAX ? 60 : 0
  if (queue.size - waitingLater >= JOBS_MAX) return Math.ceil(queue.hashes / rate / 2) || 1
  // What is not likely to be found in time only keeps the machine from the others.
  if (expectedHashes(request.threshold) / rate > waitSecondsMax) return waitSecondsMax
  return Math.max(0, Math.ceil(secondsAhead(request, queue, rate) - queueSecondsMax))
}

/**
 * How long what comes first will take: everything more urgent; of the same urgency what is not more expensive, and of each other
 * payer no more than its share while the newcomer waits for its own. Without that, one payer's long queue would keep
 * everybody out.
 */
function secondsAhead(
  { threshold, class: urgency, payer, weight = 1 }: WorkRequest,
  queue: SearchQueue,
  rate: number,
): number {
  const hashes = expectedHashes(threshold)
  let ahead = 0
  const others = new Map<string, { hashes: number; share: number }>()
  for (const group of queue.groups) {
    const difference = RANK[group.class] - RANK[urgency]
    if (difference > 0 || (difference === 0 && group.cost > hashes)) continue
    const cost = group.cost * group.size
    if (difference < 0 || group.payer === payer) ahead += cost
    else {
      const other = others.get(group.payer) ?? { hashes: 0, share: (hashes * group.weight) / weight }
      other.hashes += cost
      others.set(group.payer, other)
    }
  }
  for (const other of others.values()) ahead += Math.min(other.hashes, other.share)
  return ahead / rate
}
