import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { KeyHolder, KeyVault, EncryptedKey } from '../../kernel/key-vault.ts'
import type { Random } from '../../kernel/ports.ts'
import { type MasterKey, openKey, rewrapKey, encryptKey } from './envelope.ts'
import { type MasterKeys, createKeyFile, readKeyFile, stampKeyFile, toMasterKeys } from './master-keys.ts'

type VaultSettings = Pick<Config, 'walletKeys' | 'walletKeyActive' | 'dataDir'>

/** The file of the master keys, if no setting contains them. */
export const keyFileOf = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'wallet-keys')

/**
 * Reads the master keys. A first start without any creates one in the data folder. `used` is the name of a key that
 * wallets depend on.
 */
export function openVault(
  settings: VaultSettings,
  { used, random }: { used: string | undefined; random: Random },
): KeyVault {
  const { walletKeys, walletKeyActive } = settings
  if (walletKeys.length > 0) {
    return new EnvelopeVault({ load: () => toMasterKeys(walletKeys, walletKeyActive), random })
  }
  const file = keyFileOf(settings)
  let depends = used === undefined ? undefined : `wallets depend on the key ${used} in it`
  const load = (): MasterKeys => {
    const keys = readKeyFile(file)
    // A new key could decrypt nothing, and would hide that the old one is missing.
    if (!keys && depends !== undefined) throw new Error(`${file} is missing, and ${depends}. Restore it.`)
    const found = keys ?? createKeyFile(file, random)
    depends ??= 'this gateway has sealed wallets with it'
    return found
  }
  return new EnvelopeVault({ load, stamp: () => stampKeyFile(file), random })
}

interface VaultOptions {
  /** Reads the master keys. Called again if they may have changed, or if a record names an unknown key. */
  load(): MasterKeys
  /**
   * Changes whenever the keys may have changed; called before every encryption. Throws if there are no keys any more.
   */
  stamp?(): string
  random: Random
}

/** Encrypts the keys of wallets in envelopes. */
export class EnvelopeVault implements KeyVault {
  readonly #options: VaultOptions
  #keys: MasterKeys
  #stamp = ''

  constructor(options: VaultOptions) {
    this.#options = options
    this.#keys = options.load()
  }

  get activeKeyId(): string {
    return this.#keys.active.id
  }

  /**
   * Encrypts with the currently active key. Another process may have rotated the keys; a record under a key that only
   * this process still has in memory would be lost with it.
   */
  encrypt(holder: KeyHolder, key: Uint8Array): EncryptedKey {
    this.#refresh()
    return encryptKey(this.#keys.active, holder, key, this.#options.random)
  }

  encryptByEach(holder: KeyHolder, key: Uint8Array, except: ReadonlySet<string>): EncryptedKey[] {
    this.#refresh()
    const missing = [...this.#keys.byId.values()].filter(({ id }) => !except.has(id))
    return missing.map((master) => encryptKey(master, holder, key, this.#options.random))
  }

  open(holder: KeyHolder, encrypted: EncryptedKey): Uint8Array {
    return openKey(this.#get(encrypted.masterKeyId), holder, encrypted)
  }

  rewrap(holder: KeyHolder, encrypted: EncryptedKey): EncryptedKey | undefined {
    const to = this.#keys.active
    if (encrypted.masterKeyId === to.id) return undefined
    return rewrapKey({ from: this.#get(encrypted.masterKeyId), to }, holder, encrypted, this.#options.random)
  }

  knows(masterKeyId: string): boolean {
    return this.#find(masterKeyId) !== undefined
  }

  /** Another process may have rotated the keys, so the record may name a key that this process has not loaded yet. */
  #find(id: string): MasterKey | undefined {
    if (!this.#keys.byId.has(id)) this.#reload()
    return this.#keys.byId.get(id)
  }

  #refresh(): void {
    const stamp = this.#options.stamp?.() ?? ''
    if (stamp === this.#stamp) return
    this.#reload()
    this.#stamp = stamp
  }

  /** Refuses if the key under a known name has changed: every wallet that uses it would look damaged. */
  #reload(): void {
    const next = this.#options.load()
    for (const { id, key } of next.byId.values()) {
      const known = this.#keys.byId.get(id)
      if (known && Buffer.compare(known.key, key) !== 0) throw new Error(`The master key ${id} is not what it was.`)
    }
    this.#keys = next
  }

  #get(id: string): MasterKey {
    const key = this.#find(id)
    if (!key) throw new Error(`The master key ${id} is missing.`)
    return key
  }
}
