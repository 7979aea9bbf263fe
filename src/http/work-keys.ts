import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** Who may use a work server. */
export interface WorkKeys {
  /** The name that belongs to an Authorization header: a bearer's key, or name and key as a URL carries them. */
  payerOf(authorization: string | undefined): string | undefined
}

const KEY_LENGTH_MIN = 16

/** Looked up by their digests, so that how long it takes tells nothing about a key. */
const digest = (key: string) => createHash('sha256').update(key).digest('hex')

export function readWorkKeys(file: string): WorkKeys {
  const payers = new Map<string, string>()
  for (const [index, text] of readFileSync(file, 'utf8').split('\n').entries()) {
    const line = text.trim()
    if (line === '' || line.startsWith('#')) continue
    const [name, key = '', ...rest] = line.split(/\s+/)
    if (key.length < KEY_LENGTH_MIN || rest.length > 0) {
      throw new Error(`${file}, line ${index + 1}: a name and a key of at least ${KEY_LENGTH_MIN} characters.`)
    }
    payers.set(digest(key), name!)
  }
  if (payers.size === 0) throw new Error(`${file} names nobody who may use the work server.`)
  return {
    payerOf(authorization) {
      const key = keyIn(authorization)
      return key === undefined ? undefined : payers.get(digest(key))
    },
  }
}

function keyIn(authorization = ''): string | undefined {
  const [, scheme, credentials] = /^(Bearer|Basic) (\S+)$/i.exec(authorization) ?? []
  if (scheme === undefined || credentials === undefined) return undefined
  if (scheme.toLowerCase() === 'bearer') return credentials
  const [, key] = /^[^:]*:(.*)$/s.exec(Buffer.from(credentials, 'base64').toString()) ?? []
  return key
}
