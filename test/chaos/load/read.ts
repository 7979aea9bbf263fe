import type { Caller } from './caller.ts'

/** A read from the ledger. */
export async function read(caller: Caller): Promise<void> {
  const { client, payer, random, made } = caller.options
  const account = payer.account.address
  const question = random.below(3)
  if (question === 0) {
    const answer = await client.post({ action: 'block_count' })
    if (answer?.status === 200 && !/^\d+$/.test(String(answer.body.count))) caller.complain('no block count', answer)
  } else if (question === 1) {
    // Blocks are built on this answer, so it must include everything that the owner has published.
    const answer = await client.post({ action: 'account_info', account })
    if (answer?.status === 200 && answer.body.frontier !== payer.frontier) caller.complain('an old frontier', answer)
  } else {
    const answer = await client.post({ action: 'accounts_balances', accounts: [account] })
    if (answer?.status === 200 && answer.body.balances === undefined) caller.complain('no balances', answer)
  }
  made.reads++
}
