import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { SCOPES, type Scope, scopesOfRole } from '../../../kernel/rights.ts'
import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { Notices } from '../../../kernel/ports.ts'
import { readNew } from '../../../kernel/resource/read.ts'
import { EMPTY, isIn } from '../../../web/dashboard/form.tsx'
import { boxOf, formBody } from '../../../web/dashboard/resource-form.tsx'
import { namesOf } from '../activity/export.ts'
import { issueKey, revokeKey, rotateKey } from '../domain/keys.ts'
import { dayOf } from '../domain/spending.ts'
import { perMinuteOf, spendDailyOf } from '../keys-store.ts'
import { keyForm } from '../key-form.ts'
import { type KeyRow, KeysPage, NewKeyPage } from '../pages/keys-page.tsx'
import { findSpent } from '../spends-store.ts'
import { type ApiKey, listKeys } from '../store.ts'
import { readNewKey } from '../wire-fields.ts'

const LISTED_MAX = 200

interface KeyPagesPorts {
  store: StoreCtx
  notices: Pick<Notices, 'publish'>
  /** The address where an account last asked for money, if any. */
  usualAddress(accountId: string): Promise<string | undefined>
}

/** Pages that list, make, rotate and revoke API keys. */
export function keyPages({ store, notices, usualAddress }: KeyPagesPorts): readonly (Page | Form)[] {
  const firstValues = async (accountId: string, give: readonly Scope[]): Promise<Record<string, string>> => {
    const address = await usualAddress(accountId)
    const boxes = give.map((scope) => [boxOf('scopes', scope), 'yes'])
    return { ...Object.fromEntries(boxes), ...(address !== undefined && { 'addresses[0]': address }) }
  }
  const list = async ({ frame, accountId, caller }: PageRequest, filled: FormState) => {
    const keys = await listKeys(store.db, accountId, LISTED_MAX)
    const names = await namesOf(store.db, accountId)
    const rows = await Promise.all(keys.map((key) => toRow(store, key, names)))
    const give = giveableOf(caller, frame)
    const isSent = boxOf('scopes', '') in filled.values
    const values = isSent ? filled.values : { ...(await firstValues(accountId, give)), ...filled.values }
    return <KeysPage {...{ frame, keys: rows, give }} now={store.clock.now()} filled={{ ...filled, values }} />
  }
  const placed = { section: '/keys', again: list, done: { revoked: 'Key revoked.' } }
  const show: Form['show'] = ({ frame }, { text, name }) => (
    <NewKeyPage frame={frame} text={String(text)} name={String(name)} />
  )
  return [
    {
      path: '/keys',
      permission: 'keys',
      done: placed.done,
      menu: { title: 'Keys', group: 'developers', order: 10, guide: 'keys' },
      render: (request) => list(request, EMPTY),
    },
    {
      ...placed,
      path: '/keys',
      permission: 'keys',
      proof: true,
      show,
      async run({ caller, accountId, frame }, fields, idempotency) {
        if (idempotency.made) return { shown: idempotency.made }
        const usual = await usualAddress(accountId)
        const context = { give: giveableOf(caller, frame), now: store.clock.now() }
        const wanted = readForm(fields, context, { usual, timeZone: frame.shop.timeZone })
        const { text, key } = await issueKey(store, { ...wanted, accountId, actor: caller.actor, idempotency })
        return { shown: { text, name: key.name } }
      },
    },
    {
      ...placed,
      path: '/keys/:id/rotate',
      permission: 'keys',
      proof: true,
      show,
      async run({ params, accountId, caller: { actor } }, _fields, idempotency) {
        if (idempotency.made) return { shown: idempotency.made }
        const rotation = { accountId, actor, keyId: params.id!, idempotency }
        const { text, key, oldHash } = await rotateKey(store, rotation)
        if (oldHash !== undefined) notices.publish('key', oldHash)
        return { shown: { text, name: key.name } }
      },
    },
    {
      ...placed,
      path: '/keys/:id/revoke',
      permission: 'keys',
      async run({ accountId, params, caller: { actor } }) {
        notices.publish('key', await revokeKey(store, { accountId, keyId: params.id!, actor }))
        return { to: '/dashboard/keys?done=revoked' }
      },
    },
  ]
}

/** With the amount spent today against the limit that is reached first. */
async function toRow({ db, clock }: StoreCtx, key: ApiKey, names: ReadonlyMap<string, string>): Promise<KeyRow> {
  const daily = spendDailyOf(key)
  const limit = key.limits.find(({ spendDaily }) => daily !== undefined && spendDaily === daily)
  const spent = limit && (await findSpent(db, { limitId: limit.id, day: dayOf(clock.now()) }))
  return {
    ...key,
    maker: names.get(key.madeBy ?? ''),
    perMinute: perMinuteOf(key),
    spend: daily === undefined || spent === undefined ? undefined : { daily, spent },
  }
}

/** The scopes that the user can grant to a key. */
const giveableOf = ({ memberRole, rights }: PageRequest['caller'], { account }: PageRequest['frame']) =>
  (memberRole === undefined ? rights?.scopes : scopesOfRole(memberRole, account.role === 'admin')) ?? SCOPES

/** The form pre-fills what a public key is bound to, and the user may empty it; a form without those rows binds the key. */
function readForm(
  fields: FormFields,
  context: { give: readonly Scope[]; now: number },
  { usual, timeZone }: { usual: string | undefined; timeZone: string },
) {
  const typed = formBody(keyForm, context, 'create', fields, { currency: 'NANO', timeZone })
  const { kind, addresses, templates, ...values } = readNew(keyForm, context, typed)
  const isEmptied = Object.keys(fields.typed()).some((name) => isIn('addresses', name))
  const boundTo = { addresses: isEmptied || usual === undefined ? addresses : [usual], templates }
  const { name, origins, scopes, expiresUnix, perMinute, spendDailyNano } = values
  return readNewKey(
    {
      ...{ name, kind, origins, scopes, expires_unix: expiresUnix, per_minute: perMinute },
      spend_daily_nano: spendDailyNano,
      // Pre-filled whichever kind is chosen, but used for public keys only.
      ...(kind === 'public' && boundTo),
    },
    context.now,
  )
}
