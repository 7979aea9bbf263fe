import type { SaidOptions } from '../kernel/nano/confirmation-options.ts'

/** Topics of a node beside confirmations that are passed on where a node has them. */
export const FOLLOWED: ReadonlySet<string> = new Set([
  'vote',
  'new_unconfirmed_block',
  'started_election',
  'stopped_election',
  'active_difficulty',
])

/** The frames that one subscription wants: by default usual votes alone, of all representatives or of some. */
export function toFilter(topic: string, said: SaidOptions | undefined): (frame: string) => boolean {
  if (topic !== 'vote') return () => true
  const representatives = said?.accounts('representatives')
  const voters = representatives && new Set(representatives)
  const types = new Set(['vote'])
  if (said?.flag('include_replays') === true) types.add('replay')
  if (said?.flag('include_indeterminate') === true) types.add('indeterminate')
  return (frame) => {
    const { account, type } = voteIn(frame)
    return types.has(type ?? 'vote') && (voters?.has(account ?? '') ?? true)
  }
}

interface VoteHead {
  account?: string
  type?: string
}

function voteIn(frame: string): VoteHead {
  try {
    return (JSON.parse(frame) as { message?: VoteHead } | null)?.message ?? {}
  } catch {
    // A node may send broken frames: no client gets them.
    return { type: 'broken' }
  }
}
