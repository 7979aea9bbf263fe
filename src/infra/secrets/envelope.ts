import { createCipheriv, createDecipheriv } from 'node:crypto'
import { DecryptionFailed } from '../../kernel/wallet-alarm.ts'
import type { KeyHolder, EncryptedKey } from '../../kernel/key-vault.ts'
import type { Random } from '../../kernel/ports.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
export const MASTER_KEY_BYTES = 32

/** Without a fixed length, Node would accept a tag of 4 bytes, which can be guessed. */
const OPTIONS = { authTagLength: TAG_BYTES } as const

/**
 * The authenticated context of a data key and of a key: a record copied to another wallet or address cannot be
 * decrypted.
 */
const dataKeyContext = ({ walletId }: KeyHolder) => `dek|v1|${walletId}`
const keyContext = ({ walletId, address }: KeyHolder) => `key|v1|${walletId}|${address}`

function encrypt(key: Uint8Array, text: Uint8Array, context: string, random: Random): string {
  const nonce = random.bytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, OPTIONS).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

function decrypt(key: Uint8Array, encrypted: string, context: string): Uint8Array {
  const bytes = Buffer.from(encrypted, 'base64')
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) throw new DecryptionFailed('A sealed key is cut short.')
  const body = bytes.subarray(NONCE_BYTES, -TAG_BYTES)
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), OPTIONS)
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  const text = decipher.update(body)
  try {
    decipher.final()
  } catch (cause) {
    // Nobody may read what was decrypted before the tag proved wrong.
    text.fill(0)
    throw new DecryptionFailed('A sealed key does not open: it was changed, or belongs elsewhere.', { cause })
  }
  return text
}

/** A master key and its name. */
export interface MasterKey {
  id: string
  key: Uint8Array
}

/** Encrypts a key with a new data key, and the data key with the master key. */
export function encryptKey(master: MasterKey, holder: KeyHolder, key: Uint8Array, random: Random): EncryptedKey {
  const dataKey = random.bytes(MASTER_KEY_BYTES)
  try {
    return {
      version: 1,
      masterKeyId: master.id,
      wrappedDataKey: encrypt(master.key, dataKey, dataKeyContext(holder), random),
      encryptedKey: encrypt(dataKey, key, keyContext(holder), random),
    }
  } finally {
    dataKey.fill(0)
  }
}

/** Decrypts a key. The caller wipes the result. */
export function openKey(master: MasterKey, holder: KeyHolder, encrypted: EncryptedKey): Uint8Array {
  const dataKey = decrypt(master.key, encrypted.wrappedDataKey, dataKeyContext(holder))
  try {
    return decrypt(dataKey, encrypted.encryptedKey, keyContext(holder))
  } finally {
    dataKey.fill(0)
  }
}

/** Encrypts the data key with the new master key, without decrypting the wallet's key. */
export function rewrapKey(
  { from, to }: { from: MasterKey; to: MasterKey },
  holder: KeyHolder,
  encrypted: EncryptedKey,
  random: Random,
): EncryptedKey {
  const dataKey = decrypt(from.key, encrypted.wrappedDataKey, dataKeyContext(holder))
  try {
    const wrappedDataKey = encrypt(to.key, dataKey, dataKeyContext(holder), random)
    return { ...encrypted, masterKeyId: to.id, wrappedDataKey }
  } finally {
    dataKey.fill(0)
  }
}
