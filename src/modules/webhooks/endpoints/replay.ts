import type { Idempotency } from '../../../kernel/idempotency.ts'
import { type StoreCtx, inTx } from '../../../kernel/in-tx.ts'
import { enqueue } from '../../../kernel/job.ts'
import { insertAudit, lockAccount } from '../../accounts/index.ts'
import { beginDelivery } from '../domain/wake-delivery.ts'
import { endpointOff, replayNotFound, replayRuns, replayTooLarge, replaysUsedUp } from '../errors.ts'
import { findPositionBefore } from '../store.ts'
import { type Endpoint, endpoints } from './endpoint.ts'
import { isMatch, wantsKind } from './fan-out.ts'
import type { AskedReplay } from './fields.ts'
import {
  type Replay,
  countReplayable,
  countReplayed,
  countUntried,
  findReplay,
  insertReplay,
  listAbandoned,
  listKnown,
  listReplayable,
  markStepped,
  stopReplays,
} from './replays-store.ts'
import { getEndpoint } from './secret.ts'
import type { ChangedEndpoint, OwnEndpoint } from './store.ts'

export const REPLAY = 'webhooks.replay'
const EVENTS_MAX = 10_000
const DAY = 86_400_000
/** The maximum of events in all replays of an account in 24 hours. */
const DAY_MAX = 50_000
/** Steps are small and one after the other, so that a replay is slow compared with current events. */
const STEP = 100
const APART = 50
/** The next step waits while more than this many deliveries of the previous one were not attempted yet. */
const UNTRIED_MAX = 50
const LOOK_AGAIN_AFTER = 2_000
const JOB_ATTEMPTS_MAX = 50

export interface ReplayPayload {
  replayId: string
}

/** Replays the events of a period to an endpoint, as far as it asks for them. One replay at a time for each endpoint. */
export async function beginReplay(
  ctx: StoreCtx,
  own: ChangedEndpoint,
  { from, to, events, missedOnly }: AskedReplay,
  idempotency?: Idempotency,
): Promise<Replay> {
  const made = idempotency?.made as { id: string } | undefined
  if (made) return getReplay(ctx, own, made.id)
  const endpoint = await getEndpoint(ctx, own)
  if (!endpoint.isEnabled) throw endpointOff()
  return inTx(ctx, async (tx) => {
    const { id: endpointId, accountId, actor } = own
    const position = await findPositionBefore(tx.db, accountId, from)
    const positionEnd = await findPositionBefore(tx.db, accountId, to === undefined ? Number.MAX_SAFE_INTEGER : to + 1)
    const replay: Replay = {
      id: tx.ids.next('rpl'),
      endpointId,
      accountId,
      events: events ?? endpoint.events,
      missedOnly,
      position,
      positionEnd,
      queued: 0,
      state: 'running',
      createdAt: tx.clock.now(),
      finishedAt: null,
    }
    const stretch = { accountId, endpointId, after: position, upTo: positionEnd, events: replay.events }
    // Locks the account, so that replays started at once count each other.
    await lockAccount(tx.db, accountId)
    const count = await countReplayable(tx.db, stretch, EVENTS_MAX)
    if (count > EVENTS_MAX) throw replayTooLarge(EVENTS_MAX)
    const since = tx.clock.now() - DAY
    if (count + (await countReplayed(tx.db, { accountId, since, eachMax: EVENTS_MAX })) > DAY_MAX)
      throw replaysUsedUp(DAY_MAX)
    if (!(await insertReplay(tx.db, replay))) throw replayRuns()
    await enqueueStep(tx, replay.id, tx.clock.now())
    const detail = { id: endpointId, replay: replay.id }
    await insertAudit(tx, { actor, accountId, what: 'endpoint.replayed', detail })
    await idempotency?.record(tx.db, { id: replay.id })
    return replay
  })
}

/** Queues jobs again for replays whose job was lost: they would run for ever and block the next one. */
export async function reviveReplays(tx: StoreCtx): Promise<void> {
  for (const replayId of await listAbandoned(tx.db, REPLAY, toPayload)) {
    await enqueue(tx, {
      kind: REPLAY,
      payload: toPayload(replayId),
      key: `revive:${replayId}`,
      attemptsMax: JOB_ATTEMPTS_MAX,
    })
  }
}

export async function getReplay(
  { db }: StoreCtx,
  { id: endpointId, accountId }: OwnEndpoint,
  id: string,
): Promise<Replay> {
  await getEndpoint({ db }, { id: endpointId, accountId })
  const replay = await findReplay(db, id)
  if (replay?.endpointId !== endpointId) throw replayNotFound()
  return replay
}

const toPayload = (replayId: string): ReplayPayload => ({ replayId })

const enqueueStep = (tx: StoreCtx, replayId: string, runAt: number): Promise<void> =>
  enqueue(tx, { kind: REPLAY, payload: toPayload(replayId), runAt, attemptsMax: JOB_ATTEMPTS_MAX })

/** Takes the next step in one transaction: a run that dies has done nothing, and a second run of the same step does nothing. */
export async function replayStep(ctx: StoreCtx, replayId: string): Promise<void> {
  await inTx(ctx, async (tx) => {
    const replay = await findReplay(tx.db, replayId)
    if (replay?.state !== 'running') return
    const endpoint = await endpoints.find(tx.db, replay.endpointId)
    const now = tx.clock.now()
    if (!endpoint?.isEnabled) return stopReplays(tx.db, replay.endpointId, now)
    if ((await countUntried(tx.db, endpoint.id)) >= UNTRIED_MAX) {
      return enqueueStep(tx, replayId, now + LOOK_AGAIN_AFTER)
    }
    const { accountId } = endpoint
    const { position: after, positionEnd: upTo, events } = replay
    const stretch = { accountId, endpointId: endpoint.id, after, upTo, events }
    const found = await listReplayable(tx.db, stretch, STEP)
    const wanted = await chooseFrom(tx, { replay, endpoint, found })
    const isLast = found.length < STEP
    const to = {
      position: found.at(-1)?.position ?? replay.position,
      queued: wanted.length,
      finishedAt: isLast ? now : null,
    }
    if (!(await markStepped(tx.db, replay, to))) return
    for (const [place, { id: eventId }] of wanted.entries()) {
      await beginDelivery(tx, { eventId, endpointId: endpoint.id, cause: 'replay', now, nextAt: now + place * APART })
    }
    if (!isLast) await enqueueStep(tx, replayId, now + wanted.length * APART)
  })
}

type Found = Awaited<ReturnType<typeof listReplayable>>

async function chooseFrom(
  { db }: StoreCtx,
  { replay, endpoint, found }: { replay: Replay; endpoint: Endpoint; found: Found },
): Promise<Found> {
  if (found.length === 0) return []
  const known = await listKnown(
    db,
    endpoint.id,
    found.map(({ id }) => id),
  )
  // The replay may ask for fewer types than the endpoint, or for one that the endpoint has not asked for so far.
  const listener = { ...endpoint, events: replay.events }
  return found.filter(
    (event) =>
      (event.isMeant ? wantsKind(listener, event.type) : isMatch(listener, event)) &&
      !known.waiting.has(event.id) &&
      !(replay.missedOnly && known.taken.has(event.id)),
  )
}
