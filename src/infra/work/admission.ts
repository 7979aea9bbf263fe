import { expectedHashes } from '../../kernel/nano/work.ts'
import type { WorkRequest } from '../../kernel/ports.ts'
import { RANK, type SearchJob } from './search-job.ts'

/**
 * How long what comes first will take: everything more urgent; of the same urgency what is not dearer, and of each other
 * payer no more than its share while the newcomer waits for its own. Without that, one payer's long queue would keep
 * everybody out.
 */
export function secondsAhead(
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
