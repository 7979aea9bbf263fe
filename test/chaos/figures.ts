import { type Faults, listLeftOut } from './faults.ts'
import { type AskedLapse, type Made, isPaid } from './made.ts'
import type { ChaosWorld } from './world.ts'

/** One line for each kind of request, with its count. */
export function toFigures(world: ChaosWorld, made: Made, faults: Faults): string[] {
  const { client, receiver, mailbox, instances } = world
  const { counts } = client
  const leftOut = listLeftOut(world)
  const events = [...receiver.events.values()]
  const tellings = events.reduce((sum, event) => sum + event.tellings, 0)
  const repeats = events.reduce((sum, event) => sum + event.repeats, 0)
  const mails = [...mailbox.received.values()]
  const refusals = [...counts.refused].map(([code, count]) => `${code} ${count}`).join(', ')
  return [
    `faults: ${[...faults.counts].map(([name, count]) => `${name} ${count}`).join(', ')}`,
    ...(leftOut.length === 0 ? [] : [`left out, because it is not ours to break: ${leftOut.join(', ')}`]),
    'not looked at: the supply of the whole ledger, which a node does not tell; the money of this run is added up instead',
    `gateways: ${instances
      .map(
        ({ name, starts, failedStarts, slowStops }) =>
          `${name} started ${starts} times, ${failedStarts} in vain, ${slowStops} times slow to stop`,
      )
      .join('; ')}`,
    `requests: ${counts.requests}, answered ${counts.answered}, unclear ${counts.unclear}; refused: ${refusals || 'none'}`,
    `checkouts: ${made.checkouts.length} made, ${made.checkouts.filter(isPaid).length} paid; given up by their client: ${made.givenUp} (with sends and payments by mail); beyond what was left of the money: ${made.unaffordable}`,
    `events: ${events.length}, told ${tellings} times, ${repeats} after they were taken; mails ${mails.length}, of which twice ${mails.filter((count) => count > 1).length}`,
    `sends: ${made.sends.length} asked for, ${made.sends.filter(({ hash }) => hash !== undefined).length} acknowledged`,
    ...tellReturns(made),
    `work: ${made.workAttempts} asked for, ${made.workAnswers} paid with a credit; reads: ${made.reads}`,
  ]
}

function tellReturns({
  refunds,
  shares,
  purchases,
  lapses,
  sales,
  marketPayments,
  returns,
  roleChanges,
}: Made): string[] {
  const acknowledged = refunds.filter(({ id }) => id !== undefined)
  const links = acknowledged.filter(({ as }) => as === 'link')
  const byMail = shares.filter(({ kind }) => kind === 'mail')
  const claimed = shares.filter(({ claimedBy }) => claimedBy !== undefined)
  const raced = claimed.filter(({ claimants }) => claimants.length > 1)
  const answered = purchases.filter(({ answer }) => answer !== undefined)
  const paid = lapses.filter(isPaid)
  const isLate = ({ wasOver }: AskedLapse) => wasOver
  return [
    `refunds: ${refunds.length} asked for, ${acknowledged.length} acknowledged, of which ${links.length} by link`,
    `claims: ${shares.length} shares, of which ${byMail.length} by mail; ${claimed.length} claimed, ${raced.length} of them by two at once; ${shares.length - claimed.length} declined`,
    `market: ${sales.length} sales, ${marketPayments.length} payments, ${returns} refunds; roles lowered: ${roleChanges}`,
    `payments by request: ${purchases.length} signed, ${answered.length} answered`,
    `checkouts that end soon: ${lapses.length} made, ${paid.length} paid, of which ${paid.filter(isLate).length} after their end`,
  ]
}
