import { readFileSync } from 'node:fs'
import { toNameChangeMessage } from '../kernel/name-change.ts'
import { fromAddress, toAddress } from '../kernel/nano/address.ts'
import { isHex } from '../kernel/nano/hex.ts'
import { deriveKey, signText } from '../kernel/nano/keys.ts'
import { toObject } from '../kernel/shape.ts'
import { readChanges } from '../modules/usernames/index.ts'

/** Signs a change of a name with a key that never leaves this machine. */
export function signChange(
  name: string,
  id: string,
  text: string,
  { keyFile, index }: { keyFile: string; index?: string },
): void {
  const changes = readChanges(readGiven(text))
  if (!changes) throw new Error('There is nothing to change.')
  const signature = signText(readKey(keyFile, index), toNameChangeMessage({ name, id, changes }))
  console.log(JSON.stringify({ action: 'update_name', name, id, ...changes, signature }))
}

/** The signature covers exactly the text that the gateway will read, so usernames are not resolved here. */
function readGiven(text: string): Parameters<typeof readChanges>[0] {
  const { address, ...given } = toObject(JSON.parse(text))
  if (address === undefined) return given
  const account = typeof address === 'string' ? fromAddress(address) : undefined
  if (account === undefined) throw new Error('address must be a Nano address.')
  return { ...given, address: toAddress(account) }
}

function readKey(file: string, index: string | undefined): string {
  const key = readFileSync(file, 'utf8').trim()
  if (!isHex(key, 64)) throw new Error(`${file} must have 64 hexadecimal digits.`)
  if (index === undefined) return key
  if (!/^[0-9]{1,9}$/.test(index)) throw new Error('--index must be a whole number.')
  return deriveKey(key, Number(index))
}
