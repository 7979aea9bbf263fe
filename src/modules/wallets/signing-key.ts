import type { PublicKey } from '../../kernel/nano/address.ts'
import { bytesToHex } from '../../kernel/nano/hex.ts'
import { publicKeyOf, publicKeyOfScalar, signHash, signHashWithScalar } from '../../kernel/nano/keys.ts'

const PRIVATE_KEY_BYTES = 32
const EXPANDED_KEY_BYTES = 64

/** What signs for an account. */
interface SigningKey {
  publicKey: PublicKey
  sign(hash: string): string
}

/** Reads a key in either form: a private key of 32 bytes, or a scalar of 32 with the prefix of its nonces. */
export function toSigningKey(bytes: Uint8Array): SigningKey {
  if (bytes.length === PRIVATE_KEY_BYTES) {
    const key = bytesToHex(bytes)
    return { publicKey: publicKeyOf(key), sign: (hash) => signHash(key, hash) }
  }
  if (bytes.length !== EXPANDED_KEY_BYTES) throw new TypeError('Not a signing key')
  const scalar = bytesToHex(bytes.subarray(0, PRIVATE_KEY_BYTES))
  const prefix = bytesToHex(bytes.subarray(PRIVATE_KEY_BYTES))
  return { publicKey: publicKeyOfScalar(scalar), sign: (hash) => signHashWithScalar({ scalar, prefix }, hash) }
}
