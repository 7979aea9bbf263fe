import { hashApiKey } from '../../../kernel/api-key.ts'
import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { countAsking } from '../domain/count-asking.ts'
import { type Place, letIn } from '../people/membership.ts'
import { mailPerson } from '../people/mails.ts'
import { lockPerson, signOutPerson } from '../people/members-store.ts'
import { badCode, isBadCode, noCodesWithout, tooManyTries } from './errors.ts'
import { type Person, notePerson } from './policy.ts'
import { countCodes, hasPasskey, markCodeUsed, replaceCodes } from './store.ts'

/** New recovery codes for a user with a passkey; the old ones stop working. */
export function newCodes(ctx: StoreCtx, person: Person, idempotency?: Idempotency): Promise<string[]> {
  return inTx(ctx, async (tx) => {
    await lockPerson(tx.db, person.email)
    if (!(await hasPasskey(tx.db, person.email))) throw noCodesWithout()
    const codes = await makeCodes(tx, person.email)
    await notePerson(tx, person, 'passkey.codes-made', {})
    await idempotency?.record(tx.db, { codes })
    await mailPerson(tx, person, 'New recovery codes', [
      `New recovery codes were created for ${person.email}. The old ones no longer work.`,
      '',
      'If this was not you, sign in, check your passkeys and create new codes.',
    ])
    return codes
  })
}

const HOUR = 3_600_000
const TRIES_AN_HOUR = 10

/**
 * Signs in by a recovery code. Wrong attempts are limited for every address alike, whether or not it has codes. A right code always works,
 * whatever was tried before, so that guessing does not lock the owner out.
 */
export async function signInByCode(ctx: StoreCtx, { email, code }: { email: string; code: string }): Promise<Place> {
  const address = email.toLowerCase()
  const who = `recovery ${address}`
  const entering = letIn(ctx, {
    by: 'recovery code',
    mayBeGuest: true,
    async whose(tx) {
      await useCode(tx, address, code)
      await signOutPerson(tx.db, { email: address, keep: null, now: tx.clock.now() })
      return address
    },
  })
  return entering.catch(async (error: unknown) => {
    if (!isBadCode(error)) throw error
    await countAsking(ctx, { who, places: TRIES_AN_HOUR, within: HOUR, refuse: tooManyTries })
    throw error
  })
}

const CODES = 10
const CODE_LENGTH = 16
/** Without letters that look like digits. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

const placeOf = (email: string, code: string) => hashApiKey(`recovery ${email} ${code}`)

/** Ten codes, as they are shown, which replace all earlier ones. The store has only their hashes. */
export async function makeCodes({ db, clock, random }: StoreCtx, email: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, () =>
    Array.from(random.bytes(CODE_LENGTH), (byte) => ALPHABET[byte % ALPHABET.length]).join(''),
  )
  await replaceCodes(db, { email, hashes: codes.map((code) => placeOf(email, code)), now: clock.now() })
  return codes.map((code) => code.match(/.{4}/g)!.join('-'))
}

/** Uses a code up, or refuses it. Call it in the transaction of what the code allows. */
export async function useCode(tx: StoreCtx, email: string, code: string): Promise<void> {
  const hash = placeOf(email, code)
  if (!(await markCodeUsed(tx.db, { email, hash, now: tx.clock.now() }))) throw badCode()
  const left = await countCodes(tx.db, email)
  await mailPerson(tx, { email }, 'A recovery code was used', [
    `One of your recovery codes was used for ${email}. You have ${left} left.`,
    '',
    'If this was not you, sign in and create new codes on the Security page. The old ones stop working.',
  ])
}
