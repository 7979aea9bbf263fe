import type { Leaving } from './leaving.ts'

/** A stored key, encrypted by its own data key, which a master key has encrypted. Texts are base64. */
export interface EncryptedKey {
  version: 1
  /** The master key that encrypted the data key. */
  masterKeyId: string
  wrappedDataKey: string
  encryptedKey: string
}

/** The owner of a key. The encrypted key can be decrypted only for this wallet and address. */
export interface KeyHolder {
  walletId: string
  address: string
}

/** Keeps private keys encrypted. Whoever decrypts a key wipes it after use. */
export interface KeyVault {
  /** The master key that encrypts from now on. */
  readonly activeKeyId: string
  encrypt(holder: KeyHolder, key: Uint8Array): EncryptedKey
  /**
   * Throws SealBroken if the record was changed or belongs to another wallet, and another error if its master key is
   * unknown.
   */
  open(holder: KeyHolder, encrypted: EncryptedKey): Uint8Array
  /** The same key encrypted under the active master key; undefined if it is already. */
  rewrap(holder: KeyHolder, encrypted: EncryptedKey): EncryptedKey | undefined
  /** The same key encrypted under every master key, except those in `except`. */
  encryptByEach(holder: KeyHolder, key: Uint8Array, except: ReadonlySet<string>): EncryptedKey[]
  /** Whether records under this master key can be decrypted. */
  knows(masterKeyId: string): boolean
}

/** A key whose address begins with a chosen text. It has no seed, only a scalar and the prefix for its nonces. */
interface VanityKey {
  /** Both are 64 hexadecimal digits. */
  scalar: string
  prefix: string
}

/** Searches for addresses that begin with a chosen text. */
export interface Vanity {
  /** Undefined if time ran out or the caller has left. */
  find(request: {
    /** Who is charged with the use of the machine. */
    payer: string
    prefix: string
    timeLimitMilliseconds: number
    leaving: Leaving
  }): Promise<VanityKey | undefined>
}
