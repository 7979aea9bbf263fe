import type { SaidOptions } from '../kernel/nano/confirmation-options.ts'

/** Topics other than confirmations, which are passed on if a node offers them. */
export const FOLLOWED: ReadonlySet<string> = new Set([
  'vote',
  'new_unconfirmed_block',
  'started_election',
  'stopped_election',
  'active_difficulty',
])

/** The frames that a subscription wants. By default these are ordinary votes, of all representatives. */
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
    // A node may send a broken frame, which no client gets.
    return { type: 'broken' }
  }
}
