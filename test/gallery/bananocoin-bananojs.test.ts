import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { nano } from '../support/blocks.ts'
import { runClient } from './run-client.ts'
import { FRIEND, REPRESENTATIVE, assertBalance, assertHistory, assertRepresentative, openWorld } from './steps.ts'

/** The functions that are used here; its own declarations lack most of them. */
interface BananoJs {
  setBananodeApiUrl(url: string): void
  getNanoAccountFromSeed(seed: string, index: number): Promise<string>
  getAccountInfo(account: string, representative?: boolean): Promise<Record<string, string>>
  getAccountBalanceAndPendingRaw(account: string): Promise<{ balance: string; pending: string }>
  getAccountsPending(
    accounts: string[],
    count: number,
    source: boolean,
  ): Promise<{ blocks: Record<string, Record<string, { amount: string; source: string }>> }>
  receiveNanoDepositsForSeed(
    seed: string,
    index: number,
    representative: string,
  ): Promise<{ pendingCount: number; receiveCount: number; receiveBlocks: string[] }>
  sendNanoWithdrawalFromSeed(seed: string, index: number, to: string, amount: number): Promise<string>
  changeNanoRepresentativeForSeed(seed: string, index: number, representative: string): Promise<string>
  getAccountHistory(
    account: string,
    count: number,
  ): Promise<{ history: { type: string; amount: string; account: string; hash: string }[] }>
}

const SEED = 'BA'.repeat(32)

test(
  '@bananocoin/bananojs keeps an account of its own',
  runClient('@bananocoin/bananojs', async ({ t, steps, access }) => {
    const world = await openWorld(t, access)
    const banano = createRequire(import.meta.url)('@bananocoin/bananojs') as BananoJs
    banano.setBananodeApiUrl(world.at)
    const account = await banano.getNanoAccountFromSeed(SEED, 0)

    await steps.step('balance', async () => {
      assert.equal((await banano.getAccountInfo(account)).error, 'Account not found')
      await world.pay(account, 5)
      assert.deepEqual(await banano.getAccountBalanceAndPendingRaw(account), { balance: '0', pending: `${nano(5)}` })
      const { blocks } = await banano.getAccountsPending([account], 10, true)
      const waiting = Object.values(blocks[account]!).map(({ amount }) => amount)
      assert.deepEqual(waiting, [`${nano(5)}`])
    })
    await steps.step('receive', async () => {
      const first = await banano.receiveNanoDepositsForSeed(SEED, 0, REPRESENTATIVE)
      assert.deepEqual([first.pendingCount, first.receiveCount, first.receiveBlocks.length], [1, 1, 1])
      assertBalance(world, account, nano(5))
      // The library always makes an opened account its own representative, whatever is passed.
      assertRepresentative(world, account, account)
    })
    const sent = await steps.step('send', async () => {
      const hash = await banano.sendNanoWithdrawalFromSeed(SEED, 0, FRIEND, 2)
      assertBalance(world, account, nano(3))
      return hash
    })
    await steps.step('change', async () => {
      await banano.changeNanoRepresentativeForSeed(SEED, 0, FRIEND)
      assertRepresentative(world, account, FRIEND)
      assert.equal((await banano.getAccountInfo(account, true)).representative, FRIEND)
    })
    await steps.step('history', async () => {
      const { history } = await banano.getAccountHistory(account, 10)
      assertHistory(history)
      assert.deepEqual([history[0]!.hash, history[0]!.account], [sent, FRIEND])
    })
    await world.pay(account, 1)
    await steps.step('receive into an open account', async () => {
      await banano.receiveNanoDepositsForSeed(SEED, 0, REPRESENTATIVE)
      assertBalance(world, account, nano(4))
    })
    steps.lacks('websocket', 'it has none')
  }),
)
