import { OPERATOR } from '../kernel/actor.ts'
import { formatNano } from '../kernel/money.ts'
import { type Moved, type OldKeyWallet, staysBecause, listOldKeys, migrateKey } from '../modules/wallets/index.ts'
import { type Flags, print, withStore } from './store.ts'
import { withVault } from './wallet-words.ts'

const LISTED_MAX = 10_000

/**
 * Lists the wallets whose keys are not derived from the seed, and moves the named ones to keys of the seed. The gateway
 * then sends their money.
 */
export function migrateKeys(names: string[], { json, all }: Flags & { all?: boolean }): Promise<void> {
  return withStore(async (store, _store, gateways) => {
    const old = await listOldKeys(store.db, LISTED_MAX)
    const wanted = all
      ? old.filter((wallet) => staysBecause(wallet) === undefined)
      : names.map((name) => findNamed(old, name))
    if (wanted.length === 0) {
      const shown = old.map(({ balance, ...wallet }) => ({
        ...wallet,
        balance: formatNano(balance),
        movable: staysBecause(wallet) === undefined,
        stays: staysBecause(wallet) ?? null,
      }))
      const lines = shown.map(
        ({ id, address, purpose, balance, stays }) =>
          `${id}  ${address}  ${balance} nano  ${purpose}  ${stays === null ? 'can move' : `stays: ${stays}`}`,
      )
      return print(json, { only_in_backups: shown }, lines)
    }
    const ctx = await withVault(store)
    const moved: Moved[] = []
    for (const wallet of wanted) {
      const one = await migrateKey(ctx, wallet, OPERATOR)
      gateways.publish('wallet', `${one.id} ${one.to}`)
      moved.push(one)
    }
    const { text, facts } = await gateways.announced()
    const lines = moved.map(({ from, to }) => `${from} moves to ${to}`)
    print(json, { moved, ...facts }, [
      ...lines,
      `The gateway sends what they hold, and whatever still arrives. ${text}`,
    ])
  })
}

function findNamed(old: readonly OldKeyWallet[], name: string): OldKeyWallet {
  const wallet = old.find(({ id, address }) => id === name || address === name)
  if (!wallet) throw new Error(`${name} is not a wallet whose key is only in backups.`)
  return wallet
}
