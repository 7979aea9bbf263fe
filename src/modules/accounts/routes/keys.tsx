import { dayOf as localDay, isDate } from '../../../kernel/calendar.ts'
import type { StoreCtx } from '../../../kernel/in-tx.ts'
import { SCOPES, type Scope, scopesOfRole } from '../../../kernel/rights.ts'
import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { Notices } from '../../../kernel/ports.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { namesOf } from '../activity/export.ts'
import { issueKey, revokeKey, rotateKey } from '../domain/keys.ts'
import { dayOf } from '../domain/spending.ts'
import { perMinuteOf, spendDailyOf } from '../keys-store.ts'
import { boxOf } from '../pages/key-rights.tsx'
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
  const list = async ({ frame, accountId, caller }: PageRequest, filled: FormState) => {
    const keys = await listKeys(store.db, accountId, LISTED_MAX)
    const names = await namesOf(store.db, accountId)
    const rows = await Promise.all(keys.map((key) => toRow(store, key, names)))
    return (
      <KeysPage frame={frame} keys={rows} now={store.clock.now()} filled={filled} give={giveableOf(caller, frame)} />
    )
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
      render: async (request) => {
        const address = await usualAddress(request.accountId)
        return list(request, address === undefined ? EMPTY : { values: { addresses: address } })
      },
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
        const body = toBody(fields, giveableOf(caller, frame), { usual, timeZone: frame.shop.timeZone })
        const wanted = readNewKey(body, store.clock.now())
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

/** The form pre-fills what a public key is bound to, and the user may empty it; a form without that field binds the key. */
function toBody(
  fields: FormFields,
  give: readonly Scope[],
  { usual, timeZone }: { usual: string | undefined; timeZone: string },
): Record<string, unknown> {
  const scopes = SCOPES.filter((scope) => fields.get(boxOf(scope)) !== '')
  const [expires, perMinute, spend] = ['expires_unix', 'per_minute', 'spend_daily_nano'].map((name) => fields.get(name))
  const listOf = (name: string) => fields.get(name).split(/\s+/).filter(Boolean)
  const kind = fields.get('kind') || 'secret'
  return {
    name: fields.get('name'),
    kind,
    origins: listOf('origins'),
    // Pre-filled whichever kind is chosen, but used for public keys only.
    ...(kind === 'public' && {
      addresses: 'addresses' in fields.typed() || usual === undefined ? listOf('addresses') : [usual],
      templates: listOf('templates'),
    }),
    // If all boxes are ticked, or the form had none, the key gets all scopes, including future ones.
    ...(scopes.length < give.length && fields.get('boxes') !== '' && { scopes }),
    ...(expires !== '' && {
      expires_unix: isDate(expires!) ? Math.floor(localDay(timeZone, expires!).from / 1000) : expires,
    }),
    ...(perMinute !== '' && { per_minute: Number(perMinute) }),
    ...(spend !== '' && { spend_daily_nano: spend }),
  }
}
