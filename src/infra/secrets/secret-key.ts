import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Random } from '../../kernel/ports.ts'
import { syncFolder } from '../private-files.ts'

const SECRET_KEY_BYTES = 32

export const secretKeyFileOf = (dataDir: string) => join(dataDir, 'secret.key')

/** The key that lies in the data folder, made at the first start. Only its owner may read it. */
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
  // Before the store keeps anything that only this key opens.
  syncFolder(dirname(file))
  return readFileSync(file, 'utf8')
}
