import { loadConfig } from '../config/config.ts'
import { systemRandom } from '../infra/random.ts'
import { addToKeyFile } from '../infra/secrets/master-keys.ts'
import { SECRET_KEYS_NOTICE, addSecretKey } from '../infra/secrets/secret-key.ts'
import { keyFileOf, openVault } from '../infra/secrets/vault.ts'
import { countByMasterKey, rewrapKeys } from '../modules/wallets/index.ts'
import { countEncrypted, encryptAllAgain } from '../store/encrypted.ts'
import { keysOf, nameKey, namesOf, openSecrets, replaceSecretKey } from '../store/secrets.ts'
import { type Announcing, type Flags, print, withStore } from './store.ts'

/** Lists the master keys. A key that has encrypted nothing may be removed, unless it is active. */
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
 * Encrypts the data keys of all wallets with the active master key. Without WALLET_KEYS it first adds a new key to the
 * key file. Gateways may run meanwhile, and the command may be repeated.
 */
export function rotateMasterKeys({ json }: Flags): Promise<void> {
  return withStore(async ({ db, clock, random }) => {
    const config = loadConfig()
    const used = (await countByMasterKey(db))[0]?.id
    // Checks that the key is there on which wallets depend, before a new one is added.
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

/**
 * Lists the secret keys with the number of texts that each has encrypted. A key without any may be removed, unless it
 * is the first.
 */
export function printSecretKeys({ json }: Flags): Promise<void> {
  return withStore(async (ctx) => {
    const keys = await openSecrets(loadConfig(), ctx)
    const { byKey, unreadable } = await countEncrypted(ctx.db, keys)
    const listed = [...byKey].map(([name, texts], at) => ({ name, texts, first: at === 0 }))
    const lines = listed.map(({ name, texts, first }) => `${name}  ${texts} texts${first ? '  encrypts' : ''}`)
    const lost = unreadable === 0 ? [] : [`${unreadable} texts were encrypted with a key that is not here.`]
    print(json, { keys: listed, unreadable }, [...lines, ...lost])
  })
}

/**
 * Encrypts all secrets again with the first key. Without SECRET_KEY and SECRET_KEYS it first adds a new key to the key
 * file. Gateways may run meanwhile, and the command may be interrupted and repeated.
 */
export function rotateSecretKeys({ json }: Flags): Promise<void> {
  return withStore(async (ctx, _store, gateways) => {
    const config = loadConfig()
    const keys = await openSecrets(config, ctx)
    const ask = async () => {
      gateways.publish(SECRET_KEYS_NOTICE, '')
      return gateways.announced()
    }
    if (keysOf(config).length === 0) {
      requireKeys(await ask(), (known) => known !== undefined)
      addSecretKey(config.dataDir, systemRandom)
      keys.reload()
    }
    const [first] = keys.names
    requireKeys(await ask(), (known) => known?.[0] === first)
    const report = (table: string, count: number) => process.stderr.write(`${table}: ${count} encrypted again so far\n`)
    const encryptedAgain = await encryptAllAgain(ctx.db, keys, json ? () => {} : report)
    const { unreadable } = await countEncrypted(ctx.db, keys)
    const lost = unreadable === 0 ? [] : [`${unreadable} texts could not be decrypted with any key, and were left.`]
    print(json, { key: first, resealed: encryptedAgain, unreadable }, [
      `${encryptedAgain} texts were encrypted again; ${first} encrypts everything now. Back it up before you remove an older key.`,
      ...lost,
    ])
  })
}

/**
 * Refuses while a gateway has other keys: it would keep encrypting with an old key, or could not read text encrypted
 * with the new one.
 */
function requireKeys(
  { facts, confirmed }: Awaited<ReturnType<Announcing['announced']>>,
  has: (known: readonly string[] | undefined) => boolean,
): void {
  const behind = confirmed.filter(({ secretKeys }) => !has(secretKeys))
  if (behind.length > 0) {
    throw new Error(
      `${namesOf(behind)}: this gateway does not encrypt with the same key as this command. Give all gateways the same SECRET_KEYS, restart them, and repeat.`,
    )
  }
  if (!facts.in_force) throw new Error('A running gateway did not answer. Nothing was changed: try again.')
}

/** Lets gateways start with another key when the old one is lost or has leaked. */
export function takePresentKey({ json }: Flags): Promise<void> {
  return withStore(async (ctx, _store, gateways) => {
    const config = loadConfig()
    // A running gateway would keep encrypting with the old key. This notice changes nothing; its answers show whether a
    // gateway listens.
    gateways.publish('jobs', '')
    const { in_force: isReceived, confirmed_by: running } = (await gateways.announced()).facts
    if (running.length > 0 || !isReceived) {
      const where = namesOf(running)
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
