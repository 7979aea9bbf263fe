import type { AskedShare } from '../made.ts'
import { type Caller, isUnclear } from './caller.ts'

interface Way {
  /** The claim code; undefined until its mail has arrived. */
  code(): string | undefined
  /** The checkout of a refund. */
  checkoutId?: string
}

/** A recipient claims a share, two do so at once and one of them gets it, or the recipient declines it. */
export function planClaim(caller: Caller, share: Pick<AskedShare, 'kind' | 'of' | 'amountRaw'>, way: Way): void {
  const { random, money, made } = caller.options
  const wants = random.below(5)
  const [one, two] = random.below(2) === 0 ? money.claimants : money.claimants.toReversed()
  const claimants = wants === 0 ? [] : wants === 1 ? [one!.address, two!.address] : [one!.address]
  const asked: AskedShare = { ...share, claimants, claimedBy: undefined, declined: false }
  made.shares.push(asked)
  let isFetched = false
  caller.later({
    what: `the share of ${share.kind} ${share.of}`,
    async step() {
      const code = way.code()
      if (code === undefined) return false
      isFetched ||= claimants.length === 0 ? await decline(caller, asked, code) : await claim(caller, asked, code)
      return isFetched && (await isReported(caller, asked, way.checkoutId))
    },
  })
}

async function claim(caller: Caller, share: AskedShare, code: string): Promise<boolean> {
  const { client } = caller.options
  const tell = async (address: string) => {
    const answer = await client.postAsAnybody('/claim', { code, address })
    if (!answer || isUnclear(answer)) return
    if (answer.status === 200) {
      if (share.claimedBy !== undefined && share.claimedBy !== address) {
        caller.complain(`${share.kind} ${share.of} was claimed by two`, answer)
      }
      share.claimedBy = address
    } else if (answer.status !== 409) caller.complain('a refusal of a right code', answer)
  }
  await Promise.all(share.claimants.map(tell))
  return share.claimedBy !== undefined
}

async function decline(caller: Caller, share: AskedShare, code: string): Promise<boolean> {
  const answer = await caller.options.client.postAsAnybody('/claim/decline', { code })
  if (!answer || isUnclear(answer)) return false
  share.declined = answer.status === 200
  if (!share.declined) caller.complain('a share cannot be declined', answer)
  return true
}

/** The merchant reads the refund until it shows the outcome of its link. */
async function isReported(caller: Caller, { of }: AskedShare, checkoutId: string | undefined): Promise<boolean> {
  if (checkoutId === undefined) return true
  const answer = await caller.options.client.getOwn(`/api/checkouts/${checkoutId}/refunds`)
  const refunds = (answer?.body.refunds ?? []) as { id: string; status: string }[]
  const status = refunds.find(({ id }) => id === of)?.status
  return status === 'claimed' || status === 'failed'
}
