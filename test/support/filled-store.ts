import { OPERATOR } from '../../src/kernel/actor.ts'
import type { Insertable } from 'kysely'
import { keepFact } from '../../src/infra/db/facts.ts'
import { capturedMailer } from '../../src/infra/mail/captured.ts'
import { insertWatches } from '../../src/modules/webhooks/watches/store.ts'
import { insertReplay } from '../../src/modules/webhooks/endpoints/replays-store.ts'
import { endpoints } from '../../src/modules/webhooks/endpoints/endpoint.ts'
import { takePlace } from '../../src/modules/webhooks/endpoints/store.ts'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import { type StoreCtx, inTx } from '../../src/kernel/in-tx.ts'
import { enqueue } from '../../src/kernel/job.ts'
import { toRaw } from '../../src/kernel/money.ts'
import { readNew } from '../../src/kernel/resource/read.ts'
import type { Db } from '../../src/kernel/db.ts'
import type { Tables } from '../../src/kernel/db.ts'
import { commitCredits, createAccount, issueKey, reserveCredits, takeFree } from '../../src/modules/accounts/index.ts'
import { grantCredits } from '../../src/modules/accounts/domain/credits.ts'
import { insertSpend, lockSpendDay } from '../../src/modules/accounts/spends-store.ts'
import { insertPicture } from '../../src/modules/accounts/pictures-store.ts'
import { NO_PROFILE, saveLogo, saveProfile } from '../../src/modules/accounts/profile-store.ts'
import { insertRequests } from '../../src/modules/accounts/requests/store.ts'
import { insertChallenge, insertPasskey, replaceCodes } from '../../src/modules/accounts/passkeys/store.ts'
import { addUsage } from '../../src/modules/accounts/credits-store.ts'
import { insertOrder, insertSettled } from '../../src/modules/billing/store.ts'
import { insertSubscription } from '../../src/modules/links/subscriptions/store.ts'
import { insertOrder as insertLinkOrder } from '../../src/modules/links/orders-store.ts'
import { takeTry } from '../../src/modules/pos/pins-store.ts'
import { insertSale } from '../../src/modules/pos/sales-store.ts'
import { pointOfSale, tills } from '../../src/modules/pos/point-of-sale.ts'
import type { PosContext } from '../../src/modules/pos/context.ts'
import { insertLease } from '../../src/modules/names/index.ts'
import { insertRecipient, insertSuppression, insertToken } from '../../src/modules/email/recipients-store.ts'
import { insertPayment } from '../../src/modules/email/store.ts'
import { insertClaim as insertFaucetClaim } from '../../src/modules/faucet/store.ts'
import { type Swap, insertSwap } from '../../src/modules/swap/store.ts'
import { addLook } from '../../src/modules/reps/store.ts'
import { recordEvent } from '../../src/modules/webhooks/index.ts'
import { disableWebhook, insertAttempts } from '../../src/modules/webhooks/deliveries-store.ts'
import { addLooks, insertIncident } from '../../src/modules/status/store.ts'
import { saveWork } from '../../src/modules/work/store.ts'
import { insertFreeze } from '../../src/modules/wallets/freezes-store.ts'
import { insertSend } from '../../src/modules/wallets/outbox-store.ts'
import { insertPlan } from '../../src/modules/wallets/plans-store.ts'
import { insertCanary } from '../../src/modules/wallets/keys-store.ts'
import { insertRestore } from '../../src/modules/wallets/restores-store.ts'
import { insertSeed } from '../../src/modules/wallets/seeds-store.ts'
import { insertWallet } from '../../src/modules/wallets/store.ts'
import { insertClaim, saveOffer } from '../../src/modules/x402/store.ts'
import { addCheckout } from './checkout-context.ts'

const WISH = { from: 'btc', to: 'nano', amount: '0.1', address: 'nano_1', refundAddress: 'bc1' }
const AGREED = { receive: '9900', depositAddress: 'bc1', status: 'waiting', createdAt: 1, expiresAt: 2 ** 41 } as const
const SWAP: Omit<Swap, 'id'> = { provider: 'sandbox', reference: '-', ...WISH, ...AGREED }

/** Inserts a row unchanged. */
const put = <T extends keyof Tables>(db: Db, table: T, row: Insertable<Tables[T]>) =>
  db.insertInto(table).values(row).execute()

/** Fills every table for three accounts. */
export async function fill(ctx: StoreCtx): Promise<void> {
  const { db, clock } = ctx
  const times = { created_at: 1, expires_at: 2 ** 41 }
  for (const email of ['alice@example.com', 'bob@example.com', null]) {
    const { id: accountId } = await createAccount(ctx, { email, role: 'user', actor: OPERATOR })
    // Of another account: ordinary payments continue.
    await insertFreeze(db, {
      scope: `${accountId}-other`,
      reason: 'A key is out.',
      frozenBy: 'operator',
      now: clock.now(),
    })
    await issueKey(ctx, {
      accountId,
      kind: 'public',
      name: 'Ключ “一”',
      origins: ['https://a.example'],
      actor: OPERATOR,
    })
    const grant = { accountId, amount: 2 ** 40 + 1, reason: 'test', reference: `test:${accountId}`, actor: OPERATOR }
    await grantCredits(ctx, grant)
    await reserveCredits(ctx, accountId, 7)
    await commitCredits(ctx, {
      reservationId: (await reserveCredits(ctx, accountId, 5)).id,
      reason: 'work',
      actor: OPERATOR,
    })
    await addUsage(db, accountId, [{ accountId, day: '2026-11-15', action: 'process', count: 3 }], clock.now())
    const logged = { requestId: 'r-1', action: 'process', status: 200, code: null, microseconds: 900, keyId: null }
    await insertRequests(db, [{ id: `req_${accountId}`, accountId, at: clock.now(), ...logged, standsFor: 1 }])
    const looked = { component: 'nodes', day: accountId, state: 'down', at: clock.now() } as const
    await addLooks(db, looked)
    await insertIncident(db, { id: `inc_${accountId}`, component: 'nodes', state: 'down', startedAt: 1, endedAt: 2 })
    const free = { caller: `acc:${accountId}`, meter: 'work', now: clock.now() }
    await takeFree(db, free, { max: 3, windowMilliseconds: 60_000 })
    const spend = { limitId: `limit of ${accountId}`, day: '2026-11-15', reference: 'wbl_1', amount: toRaw(2n ** 100n) }
    await lockSpendDay(db, spend)
    await insertSpend(db, spend)
    const logo = { type: 'image/png', width: 16, height: 16, bytes: Buffer.from([1, 2, 3]) }
    await saveProfile(db, { ...NO_PROFILE, accountId, name: 'Café “一”', logoId: 'same', updatedAt: clock.now() })
    await saveLogo(db, accountId, 'same', logo)
    await insertPicture(db, { id: `picture of ${accountId}`, accountId, picture: logo, now: clock.now() })
    await fillLinks(db, accountId)
    await fillPos(db, accountId)
    await fillPasskeys(db, accountId)
    await enqueue(ctx, { kind: 'mail.send', payload: { text: 'a “quoted” \\ text' } })
    await capturedMailer(db, clock).send({ id: accountId, recipient: 'a@b', subject: 'Hello', text: 'Line\nline' })
    await put(db, 'session_secrets', { id: accountId, secret: 'AB', created_at: 1 })
    await put(db, 'ended_sessions', { id: accountId, expires_at: 2 ** 41 })
    await keepFact(db, { name: 'ledger', value: '{}', now: 2 ** 41 })
    await saveWork(db, { root: accountId, work: '0', value: 1n, account: null, now: 1, expiresAt: 2 ** 41 })
    await addLook(db, 20_000, [accountId])
    await insertSwap(db, { ...SWAP, id: `swp_${accountId}`, accountId })
    await fillWebhooks(ctx, accountId)
    await fillCheckouts(db, accountId)
    await fillSales(db, accountId)
    const amount = String(2n ** 128n - 1n)
    const payment = { hash: accountId, blockJson: '{}', network: 'nano:dev', payer: accountId, previous: 'A', amount }
    const asked = { payTo: 'nano_1', action: 'work_generate', fingerprint: 'f' }
    await insertClaim(db, { ...payment, ...asked }, { now: 1, leaseUntil: 2 ** 41 })
    await saveOffer(db, { action: accountId, payTo: 'nano_1', amount }, 2 ** 41)
    await put(db, 'sign_in_links', { token_hash: accountId, email: 'a@b', used_at: null, ...times })
    await fillWallet(db, accountId)
    await fillEmail(db, accountId)
    const request = { account_id: accountId, action: 'process', key: 'k', fingerprint: 'f', ...times }
    await put(db, 'idempotency', { ...request, status: 'finished', answer: '{"a":1}' })
  }
}

/** A link, an order of it, and a subscriber. */
async function fillLinks(db: Db, accountId: string): Promise<void> {
  const [linkId, subscriptionId] = [`lnk_${accountId}`, `sub_${accountId}`]
  const sold = { held: 0, sold: 0, orders: 0, revenue_raw: '0', revenue_e8: '0' }
  const row = { id: linkId, owner: accountId, slug: accountId.toLowerCase(), paused: 0, webhook_secret: null }
  await put(db, 'payment_links', {
    ...{ ...row, fields: '{"title":"Кружка “一”"}', quantity_min: 1, quantity_max: 9, suggested: '[]', sold_max: 7 },
    ...{ ends_at: 2 ** 41, every: 'month', grace_days: 3, ...sold, created_at: 1, updated_at: 1, deleted_at: null },
  })
  const order = { visit: 'same', visitor: 'same', quantity: 2, subscriptionId, createdAt: 1 }
  await insertLinkOrder(db, { checkoutId: `of ${accountId}`, linkId, ...order })
  const subscriber = { email: 'payer@example.com', language: 'de', plan: 'Zoë', every: 'month', graceDays: 3 } as const
  const standing = { status: 'active', beganAt: 1, periods: 1, paidUntil: 2 ** 41, endedAt: null } as const
  const subscription = { id: subscriptionId, linkId, owner: accountId, checkoutId: 'c', createdAt: 1 }
  await insertSubscription(db, { ...subscription, ...subscriber, ...standing }, 2 ** 41)
}

/** A passkey, a recovery code and a challenge. */
async function fillPasskeys(db: Db, accountId: string): Promise<void> {
  const email = `${accountId}@example.com`
  const own = { userHandle: 'same', credentialId: accountId, publicKey: 'AQ', counter: 2 ** 31 }
  const passkey = { id: `psk_${accountId}`, email, ...own, name: 'Телефон “一”', createdAt: 1, lastUsedAt: null }
  await insertPasskey(db, passkey)
  await replaceCodes(db, { email, hashes: [accountId], now: 1 })
  const asked = { purpose: 'prove', boundTo: accountId, userHandle: null, expiresAt: 2 ** 41 } as const
  await insertChallenge(db, { hash: accountId, ...asked })
}

/** A till, a sale, and a failed PIN. */
async function fillPos(db: Db, accountId: string): Promise<void> {
  const posId = `pos_${accountId}`
  const context = { checkouts: { ports: { prices: { currencies: ['EUR'] } } } } as unknown as PosContext
  const said = { title: 'Касса “一”', currency: 'EUR', tips: [10], items: [{ title: 'Espresso', price: '2' }] }
  const place = {
    address: 'nano_3datpshma7s5w7mzcngjr5owmmr1346gcapn6xd5rh3ac3amzqredsqrjdw8',
    time_zone: 'Europe/Berlin',
  }
  await tills.insert(db, {
    ...readNew(pointOfSale, context, { ...said, ...place }),
    ...{ id: posId, owner: accountId, token: 'v1.AA==', tokenMark: 'AB', pinMark: 'CD', wrongPins: 3 },
    ...{ createdAt: 1, updatedAt: 1 },
  })
  const units = { totalUnits: 2n ** 100n, tipUnits: 2n ** 99n }
  await insertSale(db, { checkoutId: `sold ${accountId}`, posId, saleKey: 'same', ...units, createdAt: 1 })
  await takeTry(db, { posId, who: 'same' }, { now: 1, triesMax: 5, lockedUntil: 2 ** 41, wrongMax: 50 })
}

/** A name, its order, and its payment. */
async function fillSales(db: Db, accountId: string): Promise<void> {
  const times = { createdAt: 1, expiresAt: 2 ** 41, graceUntil: 2 ** 42, changedAt: 2 }
  const addresses = { owner: 'nano_1', address: 'nano_2' }
  const shown = { name: 'Alice', profile: { title: '“一”' }, indexed: true }
  await insertLease(db, { key: accountId, accountId, ...shown, ...addresses, ...times })
  const order = { checkoutId: accountId, kind: 'name', subject: 'alice', accountId, createdAt: 1 }
  await insertOrder(db, { ...order, detail: { name: 'Alice' } })
  const payment = { blockHash: accountId, payer: 'nano_1', amountRaw: toRaw(2n ** 128n - 1n) }
  await insertSettled(db, { ...order, ...payment, outcome: 'held', reason: 'name_taken', what: null })
}

/** A wallet with its key and a planned block; amounts exceed the engines' number types. */
async function fillWallet(db: Db, accountId: string): Promise<void> {
  const id = `wal_${accountId}`
  const sealed = { version: 1 as const, masterKeyId: 'key-1', wrappedDataKey: 'AA==', encryptedKey: 'AA==' }
  const wallet = { id, accountId, purpose: 'cloud', address: `nano_${accountId}`, createdAt: 1 }
  const terms = { refundAddress: ['nano_1', 'nano_3'], metadata: { text: 'a “quoted” text' }, expiresAt: 2 ** 41 }
  await insertWallet(db, { ...wallet, ...terms }, sealed)
  await insertSeed(db, { id: `sed_${accountId}`, isActive: false, now: 1 }, [sealed])
  await insertRestore(db, { id: `rst_${accountId}`, reason: 'It was late.', now: 1 })
  await insertCanary(db, { ...sealed, masterKeyId: `key-${accountId}` }, 1)
  const total = toRaw(2n ** 128n - 1n)
  await insertPlan(db, { id: `wpl_${accountId}`, walletId: id, run: 1, frontier: 'AB', total }, 1)
  const share = { id: `wbl_${accountId}`, walletId: id, accountId: null, destination: 'nano_1', amount: total }
  const reference = `sweep:${id}:1:0`
  await insertSend(db, {
    ...share,
    reference,
    purpose: 'sweep',
    planId: `wpl_${accountId}`,
    deadlineAt: null,
    createdAt: 1,
  })
}

async function fillEmail(db: Db, accountId: string): Promise<void> {
  const amount = toRaw(2n ** 127n)
  const terms = { refundAddress: 'nano_1', subtotal: amount, fee: toRaw(1n), recipients: 1, sender: 'Zoë' }
  const texts = { message: 'a “quoted”\ntext', receipt: 'v1.AA==', lifetimeMilliseconds: 2 ** 41 }
  const times = { createdAt: 1, fundBy: 2 ** 41, dueAt: 1 }
  const wallet = { walletId: `wal_${accountId}`, address: `nano_${accountId}` }
  await insertPayment(db, { id: accountId, accountId, ...wallet, ...terms, ...texts, ...times })
  const recipient = { id: accountId, paymentId: accountId, position: 0, email: 'v1.AA==', emailHash: 'AB', amount }
  await insertRecipient(db, recipient)
  await insertToken(db, { selector: accountId, verifier: 'AB' }, { recipientId: accountId, now: 1 })
  await insertSuppression(db, accountId, 1)
  const claim = { id: accountId, accountId, address: 'nano_1', amount, idempotencyKey: 'k', createdAt: 1 }
  await insertFaucetClaim(db, claim)
}

async function fillWebhooks(ctx: StoreCtx, accountId: string): Promise<void> {
  const { db, random } = ctx
  const webhooks = { ...ctx, secrets: openSecretBox(random.bytes(32), random) }
  const about = { accountId, subject: accountId, type: 'ping' }
  const event = { id: `evt_${accountId}`, ...about, dedupeKey: '1', body: '{"a":"ä"}' }
  await inTx(webhooks, (tx) => recordEvent(tx, { ...event, url: 'https://shop.example/?a=b', secret: null }))
  const [delivery] = await db.selectFrom('deliveries').select('id').where('event_id', '=', event.id).execute()
  const attempt = { attempt: 1, status: null, error: 'timeout', milliseconds: 10_000, response: '', at: 1 }
  await insertAttempts(db, [{ delivery_id: delivery!.id, ...attempt, headers: '{"webhook-id":"ä"}' }])
  await disableWebhook(db, { owner: accountId, url: 'https://shop.example/' }, 1)
  await fillEndpoints(db, accountId)
}

async function fillEndpoints(db: Db, accountId: string): Promise<void> {
  const id = `we_${accountId}`
  const secret = { sealed: 'v1.AA==', sealedAt: 1, previousSealed: null, previousUntil: null }
  const terms = {
    url: 'https://shop.example/?a=b',
    events: ['*'],
    filter: { metadata: { shop: 'Zoë' }, made_with: 'any' as const },
    description: 'ä',
  }
  const standing = { isEnabled: true, disabledReason: null, failingSince: 2 ** 41 }
  await takePlace(db, accountId, 20)
  await endpoints.insert(db, { id, accountId, ...terms, ...standing, ...secret, createdAt: 1, updatedAt: 1 })
  const replay = { id: `rpl_${accountId}`, endpointId: id, accountId, events: ['*'], missedOnly: true, queued: 1 }
  const stretch = { position: 1, positionEnd: 2 ** 41, state: 'running' as const, createdAt: 1, finishedAt: null }
  await insertReplay(db, { ...replay, ...stretch })
  const floors = new Map([[`nano_${accountId}`, { frontier: 'F'.repeat(64), height: 2 ** 41, known: 'A'.repeat(32) }]])
  await insertWatches(db, { accountId, endpointId: id, floors, now: 2 ** 41 })
}

async function fillCheckouts(db: Db, owner: string): Promise<void> {
  const amount = '340282366920938463463374607431768211455'
  const address = `nano_${owner}`
  const texts = { title: '“Zoë”', description: 'a\nb', image: null, success_url: null, cancel_url: null }
  const paying = { status: 'complete', paid_at: 3, block_hash: 'B', payer: 'p', paid_raw: amount } as const
  await addCheckout(db, owner, {
    ...{ owner, merchant_address: address, currency: 'USD', price: '1.50', price_e8: '150000000', amount_raw: amount },
    ...{ ...texts, ...paying, refunded_raw: '1', metadata: '{"a":"支払い"}', seq: 2 },
    ...{ expires_at: 2 ** 41, watched_until: 2 ** 41, invoice_number: 'INV-000001' },
    invoice: '{"number":null,"seller":null,"buyer":{"name":"Zoë"},"lines":[],"tax":[]}',
  })
  await put(db, 'invoice_counters', { owner, last: 1 })
  const reserved = { amount_raw: amount, plan: -1, quote: 1, superseded: 0, created_at: 1, release_at: 2 }
  await put(db, 'checkout_reservations', { address, owner, checkout_id: owner, ...reserved })
  const quote = { rate: '0.86', source: 'sandbox', rate_at: 1, amount_raw: amount, created_at: 1, expires_at: 2 }
  await put(db, 'checkout_quotes', { checkout_id: owner, plan: -1, seq: 1, ...quote })
  const paid = { kind: 'counted', address, payer: 'p', amount_raw: amount, plan: null } as const
  const rated = { rate: '1', rate_source: 's', at: 2, created_at: 3 }
  await put(db, 'checkout_payments', { owner, block_hash: 'B', checkout_id: owner, ...paid, ...rated })
  await put(db, 'checkout_proofs', { checkout_id: owner, block_hash: 'B', proof: '{}', created_at: 3 })
  const buyer = { name: 'Buyer', email: 'buyer@example.com', language: 'en', given_by: 'payer' } as const
  await put(db, 'checkout_buyers', { checkout_id: owner, owner, ...buyer, changes: 1, created_at: 3, receipt_at: null })
  const refund = {
    status: 'sent',
    given_as: 'send',
    asked: 'nano 1',
    reference: null,
    amount_raw: '1',
    excess_raw: '0',
  } as const
  await put(db, 'checkout_refunds', {
    ...{ id: `rfd_${owner}`, checkout_id: owner, owner, ...refund, currency: 'USD', fiat_e8: '0', rate: '1' },
    ...{ address: 'p', wallet_id: 'w', from_address: address, block_id: `wbl_${owner}`, hash: 'C', claim_id: null },
    ...{ reason: 'Zoë', failure: null, created_at: 4, sent_at: 5, ended_at: 5, due_at: null, rate_source: 's' },
  })
  const step = { status: 'complete', additional_status: 'none', reason: 'paid', block_hash: 'B', at: 3 } as const
  await put(db, 'checkout_timeline', { checkout_id: owner, seq: 2, ...step })
  const watched = { address, since: 1, watched_until: 2 ** 41 }
  await put(db, 'checkout_watchers', { ...watched, owner, look: 1, look_height: 7 })
  await put(db, 'checkout_sightings', { address, hash: 'AB'.repeat(32), look: 1 })
  const scans = { fresh_at: 1, scanned_at: 0, next_scan_at: 4, frontier: null, looks: 1, floor_height: 7 }
  await put(db, 'watched_addresses', { ...watched, ...scans })
}
