import type { StoreCtx } from '../../../kernel/in-tx.ts'
import type { Form, FormFields, FormState, Page, PageRequest } from '../../../kernel/page.ts'
import type { Notices } from '../../../kernel/ports.ts'
import { EMPTY } from '../../../web/dashboard/form.tsx'
import { issueKey } from '../domain/issue-key.ts'
import { revokeKey } from '../domain/revoke-key.ts'
import { rotateKey } from '../domain/rotate-key.ts'
import { KeysPage, NewKeyPage } from '../pages/keys-page.tsx'
import { listKeys } from '../store.ts'
import { readNewKey } from '../wire-fields.ts'

const LISTED_MAX = 200

interface KeyPagesPorts {
  store: StoreCtx
  notices: Pick<Notices, 'publish'>
}

/** API keys: made and shown once, rotated, revoked. */
export function keyPages({ store, notices }: KeyPagesPorts): readonly (Page | Form)[] {
  const list = async ({ frame, accountId }: PageRequest, filled: FormState) => {
    const keys = await listKeys(store.db, accountId, LISTED_MAX)
    return <KeysPage frame={frame} keys={keys} now={store.clock.now()} filled={filled} />
  }
  const placed = { section: '/keys', again: list, done: { revoked: 'The key is revoked.' } }
  const show: Form['show'] = ({ frame }, { text, name }) => (
    <NewKeyPage frame={frame} text={String(text)} name={String(name)} />
  )
  return [
    {
      path: '/keys',
      done: placed.done,
      menu: { title: 'API keys', order: 70 },
      render: (request) => list(request, EMPTY),
    },
    {
      ...placed,
      path: '/keys',
      show,
      async run({ accountId, caller: { restsOn } }, fields, deed) {
        if (deed.made) return { shown: deed.made }
        const wanted = readNewKey(toBody(fields), store.clock.now())
        const { text, key } = await issueKey(store, { ...wanted, accountId, actor: accountId, restsOn, deed })
        return { shown: { text, name: key.name } }
      },
    },
    {
      ...placed,
      path: '/keys/:id/rotate',
      show,
      async run({ accountId, params, caller: { restsOn } }, _fields, deed) {
        if (deed.made) return { shown: deed.made }
        const rotation = { accountId, keyId: params.id!, actor: accountId, restsOn, deed }
        const { text, key, oldHash } = await rotateKey(store, rotation)
        if (oldHash !== undefined) notices.publish('key', oldHash)
        return { shown: { text, name: key.name } }
      },
    },
    {
      ...placed,
      path: '/keys/:id/revoke',
      async run({ accountId, params }) {
        notices.publish('key', await revokeKey(store, { accountId, keyId: params.id!, actor: accountId }))
        return { to: '/dashboard/keys?done=revoked' }
      },
    },
  ]
}

function toBody(fields: FormFields): Record<string, unknown> {
  const origins = fields
    .get('origins')
    .split(/\s+/)
    .filter((origin) => origin !== '')
  return { name: fields.get('name'), kind: fields.get('kind') || 'secret', origins }
}
