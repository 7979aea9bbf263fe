import { randomId } from '../../../kernel/api-key.ts'
import { inTx } from '../../../kernel/in-tx.ts'
import { pinPaused, pinShut, wrongPin } from '../errors.ts'
import { findTries, forgetTries, giveStrangeTryBack, takeStrangeTry, takeTry } from '../pins-store.ts'
import type { PosContext } from '../context.ts'
import type { PointOfSale } from '../point-of-sale.ts'
import { newSession, readDevice, showDevice } from './enter.ts'
import { markPin } from './make-pos.ts'

const TRIES_MAX = 5
const PAUSE = 5 * 60_000
/** After this many wrong attempts, of at least ten thousand possible PINs, new devices are locked out until the owner changes the PIN. */
const WRONG_MAX = 50
const DEVICE_LENGTH = 22

interface Tried {
  pin: unknown
  /** The value this device got with its first right PIN. */
  device: string | undefined
  /** The network address. */
  visitor: string
}

interface SignedIn {
  session: string
  device: string
  endsAt: number
}

/**
 * A cashier enters the PIN. A device that has entered it before has attempts of its own, which other devices cannot use up. New devices have theirs
 * by network address, and all new devices together have too few to find a PIN.
 */
export async function signIn(
  context: PosContext,
  pos: PointOfSale,
  { pin, device, visitor }: Tried,
): Promise<SignedIn> {
  const known = readDevice(context, pos, device)
  const place = await placeOf(context, pos, { known, visitor })
  await takeOne(context, pos, place)
  if (pos.pinMark === null || typeof pin !== 'string' || markPin(context, pos.id, pin.trim()) !== pos.pinMark) {
    const tries = await findTries(context.checkouts.db, { posId: pos.id, who: place.who })
    throw wrongPin(tries && tries.tries > 0 ? TRIES_MAX - tries.tries : 0)
  }
  await inTx(context.checkouts, async ({ db }) => {
    await forgetTries(db, { posId: pos.id, who: place.who })
    if (place.isNew) await giveStrangeTryBack(db, pos.id)
  })
  const own = place.isNew ? randomId(context.checkouts.random, DEVICE_LENGTH) : known!
  return { ...newSession(context, pos), device: showDevice(context, pos, own) }
}

interface Place {
  who: string
  isNew: boolean
}

/** A device that has used up its attempts counts as a new one. */
async function placeOf(
  { checkouts, secrets }: PosContext,
  { id: posId }: PointOfSale,
  { known, visitor }: { known: string | undefined; visitor: string },
): Promise<Place> {
  const who = `device ${known}`
  const spent = known === undefined ? undefined : await findTries(checkouts.db, { posId, who })
  if (known !== undefined && (spent?.wrong ?? 0) < WRONG_MAX) return { who, isNew: false }
  return { who: `address ${secrets.fingerprint('pos visitor', visitor)}`, isNew: true }
}

/** Counted before the PIN is checked, so that a thousand attempts at once are still only five. */
async function takeOne({ checkouts }: PosContext, { id: posId }: PointOfSale, { who, isNew }: Place): Promise<void> {
  const now = checkouts.clock.now()
  const limits = { now, triesMax: TRIES_MAX, lockedUntil: now + PAUSE, wrongMax: WRONG_MAX }
  await inTx(checkouts, async ({ db }) => {
    if (!(await takeTry(db, { posId, who }, limits))) {
      const { lockedUntil = 0 } = (await findTries(db, { posId, who })) ?? {}
      throw lockedUntil > now ? pinPaused(Math.ceil((lockedUntil - now) / 1000)) : pinShut()
    }
    if (isNew && !(await takeStrangeTry(db, posId, WRONG_MAX))) throw pinShut()
  })
}
