import { loadConfig } from '../config/config.ts'
import { systemRandom } from '../infra/random.ts'
import { addToKeyFile } from '../infra/secrets/master-keys.ts'
import { keyFileOf, openVault } from '../infra/secrets/vault.ts'
import { countByMasterKey, rewrapKeys } from '../modules/wallets/index.ts'
import { nameKey, replaceSecretKey } from '../store/secrets.ts'
import { type Flags, print, withStore } from './store.ts'

/** Which master keys are in use. One that has encrypted nothing may be removed, unless it is active. */
export function printMasterKeys({ json }: Flags): Promise<void> {
  return withStore(async ({ db, random }) => {
    const used = await countByMasterKey(db)
    const { activeKeyId } = openVault(loadConfig(), { used: used[0]?.id, random })
    const counts = new Map(used.map(({ id, count }) => [id, count]))
    const keys = [...new Set([...counts.keys(), activeKeyId])].map((id) => ({
      id,
      wallets: counts.get(id) ?? 0,
      active: id === activeKeyId,
    }))
    const lines = keys.map(({ id, wallets, active }) => `${id}  ${wallets} wallets${active ? '  active' : ''}`)
    print(json, keys, lines)
  })
}

/**
 * Encrypts the data keys of all wallets with the active master key; without WALLET_KEYS, with a new one that is added to the
 * key file first. Gateways may run meanwhile, and it may be repeated.
 */
export function rotateMasterKeys({ json }: Flags): Promise<void> {
  return withStore(async ({ db, clock, random }) => {
    const config = loadConfig()
    const used = (await countByMasterKey(db))[0]?.id
    // Refuses before a key is added if the one that wallets depend on is missing.
    openVault(config, { used, random })
    if (config.walletKeys.length === 0) addToKeyFile(keyFileOf(config), systemRandom)
    const vault = openVault(config, { used, random })
    const rewrapped = await rewrapKeys({ db, clock, vault })
    const { activeKeyId } = vault
    print(json, { active: activeKeyId, rewrapped }, [
      `${rewrapped} wallets are encrypted with ${activeKeyId} now. Back the keys up before you remove an old one.`,
    ])
  })
}

/** Lets gateways start with another key, when the one that encrypted the store's secrets is lost or has leaked. */
export function takePresentKey({ json }: Flags): Promise<void> {
  return withStore(async (ctx, _store, gateways) => {
    const config = loadConfig()
    // A running gateway would go on encrypting with the old key. Any notice finds it; this one changes nothing.
    gateways.publish('jobs', '')
    const { in_force: isHeard, confirmed_by: running } = (await gateways.announced()).facts
    if (running.length > 0 || !isHeard) {
      const where = running.map(({ host, pid }) => `process ${pid} on ${host}`).join(', ')
      throw new Error(
        `A gateway is running on this store${where && ` (${where})`}. Stop every gateway, then try again.`,
      )
    }
    await replaceSecretKey(config, ctx)
    print(json, { key: nameKey(config) }, [
      `${nameKey(config)} encrypts the secrets of this store from now on. Secrets encrypted with another key are unreadable: owners rotate their webhook secrets, and everyone signs in again.`,
    ])
  })
}
