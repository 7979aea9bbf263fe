import type { Leaving } from './leaving.ts'

/** A key as it lies in the store: encrypted by a data key of its own, which a master key has wrapped. Texts are base64. */
export interface SealedKey {
  version: 1
  /** Which master key wrapped the data key. */
  masterKeyId: string
  wrappedDataKey: string
  sealedKey: string
}

/** Whose key it is. An encrypted key opens for this wallet and this address and for no other. */
export interface KeyHolder {
  walletId: string
  address: string
}

/** Keeps private keys unreadable at rest. The function that opens one wipes it after use. */
export interface KeyVault {
  /** The master key that seals from now on. */
  readonly activeKeyId: string
  seal(holder: KeyHolder, key: Uint8Array): SealedKey
  /** Throws SealBroken when the record was changed or belongs to another wallet, and otherwise when its master key is unknown. */
  open(holder: KeyHolder, sealed: SealedKey): Uint8Array
  /** The same key under the active master key; undefined when it is under it already. */
  rewrap(holder: KeyHolder, sealed: SealedKey): SealedKey | undefined
  /** Whether a record under this master key can be opened. */
  knows(masterKeyId: string): boolean
}

/** A key whose address begins as wished. It has no seed, so that it is a scalar and the prefix of its nonces. */
interface VanityKey {
  /** 64 hexadecimal digits each. */
  scalar: string
  prefix: string
}

/** Looks for addresses that begin as wished. */
export interface Vanity {
  /** Undefined when time ran out or the caller has left. */
  find(request: {
    /** Whose turn it takes. */
    payer: string
    prefix: string
    timeLimitMilliseconds: number
    leaving: Leaving
  }): Promise<VanityKey | undefined>
}
