import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Random, SecretBox } from '../../kernel/ports.ts'
import { syncFolder } from '../private-files.ts'

const SECRET_KEY_BYTES = 32

export const secretKeyFileOf = (dataDir: string) => join(dataDir, 'secret.key')

/** The key in the data folder, made at the first start. Only its owner may read it. */
export function readSecretKey(dataDir: string, random: Random): Uint8Array {
  const file = secretKeyFileOf(dataDir)
  const key = Buffer.from(readOrMake(file, random), 'base64')
  if (key.length !== SECRET_KEY_BYTES) throw new Error(`${file} holds no key. Bring it back from your backup.`)
  return key
}

function readOrMake(file: string, random: Random): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  // Written aside and linked, so that a second process sees the whole key or none, and a crash leaves no half of one.
  const aside = `${file}.${Buffer.from(random.bytes(4)).toString('hex')}`
  const descriptor = openSync(aside, 'wx', 0o600)
  try {
    writeSync(descriptor, `${Buffer.from(random.bytes(SECRET_KEY_BYTES)).toString('base64')}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  try {
    linkSync(aside, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(aside)
  }
  // Synced before the store keeps anything that only this key can decrypt.
  syncFolder(dirname(file))
  return readFileSync(file, 'utf8')
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Names the method of encryption, so that another can be added. */
const VERSION = 'v1.'

/** Encrypts with AES-256-GCM. The context is authenticated: a text that is moved to another row cannot be decrypted there. */
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
