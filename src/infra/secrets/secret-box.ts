import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import type { Random, SecretBox } from '../../kernel/ports.ts'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Says how a text was sealed, so that another way can follow one day. */
const VERSION = 'v1.'

/** Seals with AES-256-GCM. The context is authenticated: a text moved to another row does not open there. */
export function openSecretBox(key: Uint8Array, random: Random): SecretBox {
  const fingerprintKey = Buffer.from(hkdfSync('sha256', key, '', 'fingerprint', 32))
  return {
    seal(context, plain) {
      const nonce = random.bytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(Buffer.from(context))
      const parts = [nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return VERSION + Buffer.concat(parts).toString('base64')
    },
    open(context, sealed) {
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64')
      if (!sealed.startsWith(VERSION) || bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('No sealed text.')
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(context))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([plain, decipher.final()]).toString()
    },
    fingerprint: (context, plain) => createHmac('sha256', fingerprintKey).update(`${context}\0${plain}`).digest('hex'),
  }
}
