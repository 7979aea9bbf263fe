import type { KeyHolder, KeyVault, Random, SealedKey } from '../../kernel/ports.ts'
import { type MasterKey, openKey, rewrapKey, sealKey } from './envelope.ts'
import type { MasterKeys } from './master-keys.ts'

export interface VaultOptions {
  /** Reads the master keys; called again when a record names one that is not known yet. */
  load(): MasterKeys
  random: Random
}

/** Seals the keys of wallets in envelopes. */
export class EnvelopeVault implements KeyVault {
  readonly #options: VaultOptions
  #keys: MasterKeys

  constructor(options: VaultOptions) {
    this.#options = options
    this.#keys = options.load()
  }

  get activeKeyId(): string {
    return this.#keys.active.id
  }

  seal(holder: KeyHolder, key: Uint8Array): SealedKey {
    return sealKey(this.#keys.active, holder, key, this.#options.random)
  }

  open(holder: KeyHolder, sealed: SealedKey): Uint8Array {
    return openKey(this.#get(sealed.masterKeyId), holder, sealed)
  }

  rewrap(holder: KeyHolder, sealed: SealedKey): SealedKey | undefined {
    const to = this.#keys.active
    if (sealed.masterKeyId === to.id) return undefined
    return rewrapKey({ from: this.#get(sealed.masterKeyId), to }, holder, sealed, this.#options.random)
  }

  knows(masterKeyId: string): boolean {
    return this.#find(masterKeyId) !== undefined
  }

  /** A rotation beside us may have wrapped a record with a key that is younger than this process. */
  #find(id: string): MasterKey | undefined {
    const known = this.#keys.byId.get(id)
    if (known) return known
    this.#keys = this.#options.load()
    return this.#keys.byId.get(id)
  }

  #get(id: string): MasterKey {
    const key = this.#find(id)
    if (!key) throw new Error(`The master key ${id} is missing.`)
    return key
  }
}
