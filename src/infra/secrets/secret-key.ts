import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto'
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Random, SecretBox } from '../../kernel/ports.ts'
import type { EncryptionContext } from '../../kernel/encrypted.ts'
import { syncFolder, writePrivateFile } from '../private-files.ts'
import { withLock } from './master-keys.ts'

const SECRET_KEY_BYTES = 32

/** The notice that the file of keys has changed. */
export const SECRET_KEYS_NOTICE = 'secret-keys'

export const secretKeyFileOf = (dataDir: string) => join(dataDir, 'secret.key')

/**
 * The keys in the data folder, one per line; the first one encrypts. The first start creates one. Only the owner may
 * read the file.
 */
export function readSecretKeys(dataDir: string, random: Random): Uint8Array[] {
  const file = secretKeyFileOf(dataDir)
  const keys = linesOf(readOrMake(file, random)).map((line) => Buffer.from(line, 'base64'))
  if (keys.length === 0 || keys.some(({ length }) => length !== SECRET_KEY_BYTES)) {
    throw new Error(`${file} holds no key. Bring it back from your backup.`)
  }
  return keys
}

/** Adds a new key before the others, which still decrypt. One process at a time. */
export function addSecretKey(dataDir: string, random: Random): void {
  const file = secretKeyFileOf(dataDir)
  withLock(file, () => {
    const lines = [
      Buffer.from(random.bytes(SECRET_KEY_BYTES)).toString('base64'),
      ...linesOf(readFileSync(file, 'utf8')),
    ]
    writePrivateFile(file, `${lines.join('\n')}\n`)
  })
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

function readOrMake(file: string, random: Random): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  // Written under another name and then linked, so that another process sees the whole key or none, and a crash leaves
  // no partial one.
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
  // Synced before the store contains anything that only this key can decrypt.
  syncFolder(dirname(file))
  return readFileSync(file, 'utf8')
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Names the encryption method, so that another one can be added. */
const VERSION = 'v1.'

interface NamedKey {
  /** The name of the key that people see; it reveals nothing of the key. */
  name: string
  key: Uint8Array
}

const toNamed = (keys: readonly Uint8Array[]): NamedKey[] =>
  keys.map((key) => ({ name: Buffer.from(hkdfSync('sha256', key, '', 'name', 4)).toString('hex'), key }))
const fingerprintKeyOf = (key: Uint8Array) => Buffer.from(hkdfSync('sha256', key, '', 'fingerprint', 32))

/**
 * Encrypts with AES-256-GCM and the first key; decrypts with the key that was used. The context is authenticated, so a
 * text that is moved to another row cannot be decrypted there.
 */
export class SecretKeys implements SecretBox {
  readonly #load: () => readonly Uint8Array[]
  readonly #random: Random
  #keys: readonly NamedKey[]
  #fingerprintKey: Uint8Array

  /** `load` is called again if another process may have added a key. */
  constructor(load: () => readonly Uint8Array[], random: Random) {
    this.#load = load
    this.#random = random
    this.#keys = toNamed(load())
    this.#fingerprintKey = fingerprintKeyOf(this.#keys[0]!.key)
  }

  /** The first one encrypts. */
  get names(): string[] {
    return this.#keys.map(({ name }) => name)
  }

  reload(): void {
    this.#keys = toNamed(this.#load())
  }

  encrypt(context: EncryptionContext, plain: string): string {
    const nonce = this.#random.bytes(NONCE_BYTES)
    const cipher = createCipheriv(ALGORITHM, this.#keys[0]!.key, nonce, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(context))
    const parts = [nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]
    return VERSION + Buffer.concat(parts).toString('base64')
  }

  open(context: EncryptionContext, encrypted: string): string {
    try {
      return this.#find(context, encrypted).plain
    } catch (error) {
      // Another process may have encrypted it with a key that this process has not loaded yet.
      const known = this.#keys.length
      this.reload()
      if (this.#keys.length <= known) throw error
      return this.#find(context, encrypted).plain
    }
  }

  /** The name of the key that decrypts a text; undefined if none does. */
  encryptedWith(context: EncryptionContext, encrypted: string): string | undefined {
    try {
      return this.#find(context, encrypted).name
    } catch {
      // A key that cannot decrypt it; try the next.
      return undefined
    }
  }

  fingerprint(context: string, plain: string): string {
    return createHmac('sha256', this.#fingerprintKey).update(`${context}\0${plain}`).digest('hex')
  }

  /** Fingerprints are compared with stored ones, so their key must stay the same when the other keys change. */
  useFingerprintKey(key: Uint8Array): void {
    this.#fingerprintKey = key
  }

  /**
   * The key of fingerprints for a store from before it had one of its own: derived from the key that encrypts the
   * store.
   */
  deriveFingerprintKey(name: string | undefined): Uint8Array {
    return fingerprintKeyOf((this.#keys.find((key) => key.name === name) ?? this.#keys[0]!).key)
  }

  #find(context: EncryptionContext, encrypted: string): { name: string; plain: string } {
    let wrong: unknown
    for (const { name, key } of this.#keys) {
      try {
        return { name, plain: decrypt(key, context, encrypted) }
      } catch (error) {
        wrong = error
      }
    }
    throw wrong
  }
}

/** With one key that never changes. */
export const openSecretBox = (key: Uint8Array, random: Random) => new SecretKeys(() => [key], random)

/** Whether a column contains an encrypted text; one that was blanked does not. */
export const isEncrypted = (text: unknown): text is string => typeof text === 'string' && text.startsWith(VERSION)

function decrypt(key: Uint8Array, context: EncryptionContext, encrypted: string): string {
  const bytes = Buffer.from(encrypted.slice(VERSION.length), 'base64')
  if (!isEncrypted(encrypted) || bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('No sealed text.')
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const plain = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
  return Buffer.concat([plain, decipher.final()]).toString()
}
