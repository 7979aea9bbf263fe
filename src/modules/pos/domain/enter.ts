import { timingSafeEqual } from 'node:crypto'
import { AppError } from '../../../kernel/errors.ts'
import { canBeId } from '../../../kernel/route.ts'
import { findAccount } from '../../accounts/index.ts'
import { pinRequired, posNotFound } from '../errors.ts'
import type { PosContext } from '../context.ts'
import { type PointOfSale, tills } from '../point-of-sale.ts'
import { markToken } from './make-pos.ts'

const SESSION_MILLISECONDS = 12 * 3_600_000
const TOKEN = /^\w{40}$/
const SESSION = /^(\d{13})\.([0-9a-f]{64})$/
const DEVICE = /^(\w{22})\.([0-9a-f]{64})$/

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Checks that a point of sale exists, which is all that its address reveals. */
export async function requirePos({ checkouts: { db } }: PosContext, id: string): Promise<PointOfSale> {
  const pos = canBeId(id) ? await tills.find(db, id) : undefined
  if (!pos) throw posNotFound()
  return pos
}

/** Admits the holder of the link. Without it the answer is 404, and no attempt is counted. */
export async function enterPos(context: PosContext, id: string, token: string | undefined): Promise<PointOfSale> {
  const pos = await requirePos(context, id)
  if (token === undefined || !TOKEN.test(token)) throw posNotFound()
  if (!isSame(markToken(context, id, token), pos.tokenMark)) throw posNotFound()
  const account = await findAccount(context.checkouts.db, pos.owner)
  if (account?.standing.suspendedAt !== null) throw new AppError('account_suspended', 'This account is suspended.')
  return pos
}

/** The same, and requires the PIN where there is one. */
export async function enterAsCashier(
  context: PosContext,
  id: string,
  { token, session }: { token: string | undefined; session: string | undefined },
): Promise<PointOfSale> {
  const pos = await enterPos(context, id, token)
  if (pos.pinMark !== null && !isSession(context, pos, session)) throw pinRequired()
  return pos
}

/**
 * A session ends when its time is over, and when the owner changes the PIN or the link with which it was made. It is verified by its signature and
 * not stored.
 */
export function newSession(context: PosContext, pos: PointOfSale): { session: string; endsAt: number } {
  const endsAt = context.checkouts.clock.now() + SESSION_MILLISECONDS
  return { session: `${endsAt}.${markSession(context, pos, endsAt)}`, endsAt }
}

const markSession = ({ secrets }: PosContext, { id, tokenMark, pinMark }: PointOfSale, endsAt: number) =>
  secrets.fingerprint('pos session', JSON.stringify([id, tokenMark, pinMark, endsAt]))

function isSession(context: PosContext, pos: PointOfSale, session: string | undefined): boolean {
  const [, end, mark] = SESSION.exec(session ?? '') ?? []
  if (end === undefined || Number(end) <= context.checkouts.clock.now()) return false
  return isSame(markSession(context, pos, Number(end)), mark!)
}

/** Derived from the PIN: once the owner changes the PIN, no device is known any more, however many devices someone had made known before. */
const markDevice = ({ secrets }: PosContext, { id, tokenMark, pinMark }: PointOfSale, device: string) =>
  secrets.fingerprint('pos device', JSON.stringify([id, tokenMark, pinMark, device]))

/** The value by which a device is recognised after its first right PIN. */
export const showDevice = (context: PosContext, pos: PointOfSale, device: string) =>
  `${device}.${markDevice(context, pos, device)}`

export function readDevice(context: PosContext, pos: PointOfSale, shown: string | undefined): string | undefined {
  const [, device, mark] = DEVICE.exec(shown ?? '') ?? []
  return device !== undefined && isSame(markDevice(context, pos, device), mark!) ? device : undefined
}
