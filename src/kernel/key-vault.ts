import type { Leaving } from './leaving.ts'

/** A stored key: encrypted by a data key of its own, which a master key has encrypted. Texts are base64. */
export interface EncryptedKey {
  version: 1
  /** The master key that has encrypted the data key. */
  masterKeyId: string
  wrappedDataKey: string
  encryptedKey: string
}

/** The owner of a key. An encrypted key can be decrypted for this wallet and this address only. */
export interface KeyHolder {
  walletId: string
  address: string
}

/** Keeps private keys encrypted at rest. A function that decrypts one wipes it after use. */
export interface KeyVault {
  /** The master key that encrypts from now on. */
  readonly activeKeyId: string
  encrypt(holder: KeyHolder, key: Uint8Array): EncryptedKey
  /** Throws SealBroken when the record was changed or belongs to another wallet, and another error when its master key is unknown. */
  open(holder: KeyHolder, encrypted: EncryptedKey): Uint8Array
  /** The same key under the active master key; undefined when it is under it already. */
  rewrap(holder: KeyHolder, encrypted: EncryptedKey): EncryptedKey | undefined
  /** The same key under every master key except those named. */
  encryptByEach(holder: KeyHolder, key: Uint8Array, except: ReadonlySet<string>): EncryptedKey[]
  /** Whether records under this master key can be decrypted. */
  knows(masterKeyId: string): boolean
}

/** A key whose address begins with a chosen text. It has no seed, so it consists of a scalar and the prefix of its nonces. */
interface VanityKey {
  /** 64 hexadecimal digits each. */
  scalar: string
  prefix: string
}

/** Searches for addresses that begin with a chosen text. */
export interface Vanity {
  /** Undefined when time ran out or the caller has left. */
  find(request: {
    /** Whose share of the machine it uses. */
    payer: string
    prefix: string
    timeLimitMilliseconds: number
    leaving: Leaving
  }): Promise<VanityKey | undefined>
}
