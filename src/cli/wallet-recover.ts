import { useFastestCurve } from '../infra/sodium-curve.ts'
import { OPERATOR } from '../kernel/actor.ts'
import { formatNano } from '../kernel/money.ts'
import { adoptWords, assignWallet, recoverWallets } from '../modules/wallets/index.ts'
import { toNumber } from './number.ts'
import { type Flags, print, withStore } from './store.ts'
import { openAsk } from './verify.ts'
import { readSecretLine, withVault } from './wallet-words.ts'

const AHEAD_MAX = 1_000_000

interface RecoverFlags extends Flags {
  words?: boolean
  ahead: string
  from?: string
  node?: string
}

/** Adopts wallets that the ledger knows and the store does not, and prints them. */
export function recover({ json, words, ahead, from, node }: RecoverFlags): Promise<void> {
  useFastestCurve()
  return withStore(async (store, _store, gateways) => {
    const ctx = await withVault(store)
    if (words) await adoptWords(ctx, await readSecretLine('The 24 words: '))
    const recovered = await recoverWallets(ctx, {
      actor: OPERATOR,
      ask: openAsk(node).ask,
      ahead: toNumber('--ahead', ahead, AHEAD_MAX, 1),
      ...(from !== undefined && { from: toNumber('--from', from, 2 ** 32 - 1) }),
    })
    for (const { id, address } of recovered) gateways.publish('wallet', `${id} ${address}`)
    if (recovered.length > 0) store.wakeJobs()
    const { text, facts } = await gateways.announced()
    const wallets = recovered.map(({ amount, ...wallet }) => ({ ...wallet, amount: formatNano(amount) }))
    print(json, { recovered: wallets, ...facts }, [
      ...wallets.map(({ id, address, amount }) => `${id}  ${address}  ${amount} nano`),
      wallets.length === 0
        ? 'The ledger has no wallet of this seed that the store lacks.'
        : `${wallets.length} recovered. Give each to its owner: nano-gateway wallets assign <wallet> <account>. ${text}`,
    ])
  })
}

/** Gives a recovered wallet to an account. */
export function assign(wallet: string, accountId: string, { json }: Flags): Promise<void> {
  return withStore(async (ctx) => {
    const { address } = await assignWallet(ctx, { wallet, accountId, actor: OPERATOR })
    ctx.notifyAccount(accountId, ['wallets:read'])
    print(json, { assigned: address, account: accountId }, [`${address} belongs to ${accountId} now.`])
  })
}
