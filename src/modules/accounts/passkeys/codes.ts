import { hashApiKey } from '../../../kernel/api-key.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { tell } from '../people/mails.ts'
import { countCodes, markCodeUsed, replaceCodes } from './codes-store.ts'
import { badCode } from './errors.ts'

const CODES = 10
const CODE_LENGTH = 16
/** Without letters that are read for numbers. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

const placeOf = (email: string, code: string) => hashApiKey(`recovery ${email} ${code}`)

/** Ten codes in the place of those before, as they are shown. The store keeps their hashes. */
export async function makeCodes({ db, clock, random }: StoreCtx, email: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, () =>
    Array.from(random.bytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join(''),
  )
  await replaceCodes(db, { email, hashes: codes.map((code) => placeOf(email, code)), now: clock.now() })
  return codes.map((code) => code.match(/.{4}/g)!.join('-'))
}

/** Uses a code up, or refuses it. Call it in the transaction of what it opens. */
export async function useCode(tx: StoreCtx, email: string, code: string): Promise<void> {
  const hash = placeOf(email, code)
  if (!(await markCodeUsed(tx.db, { email, hash, now: tx.clock.now() }))) throw badCode()
  const left = await countCodes(tx.db, email)
  await tell(tx, { email }, 'A recovery code was used', [
    `One of your recovery codes was used for ${email}. You have ${left} left.`,
    '',
    'If this was not you, sign in and create new codes on the Security page. The old ones stop working.',
  ])
}
