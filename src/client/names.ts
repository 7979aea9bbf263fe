import { type NameChange, toNameChangeMessage } from '../kernel/name-change.ts'
import { isHex } from '../kernel/nano/hex.ts'
import { signText } from '../kernel/nano/keys.ts'

export type { NameChange } from '../kernel/name-change.ts'

/**
 * Signs a change of a username for an offer of `update_name`. Send the changes, `id` and this `signature` to the same
 * action. The private key (64 hexadecimal digits, of the owning address) is sent nowhere.
 */
export function signNameChange({ privateKey, ...change }: NameChange & { privateKey: string }): string {
  if (!isHex(privateKey, 64)) throw new TypeError('A private key has 64 hexadecimal digits.')
  return signText(privateKey, toNameChangeMessage(change))
}
