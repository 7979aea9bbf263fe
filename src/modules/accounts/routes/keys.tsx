import { issueKey, listKeys, readNewKey, revokeKey, rotateKey } from '../index.ts'
import { EMPTY, type Filled } from '../../../web/dashboard/form.tsx'
import { KeysPage, NewKeyPage } from '../pages/keys-page.tsx'
import type { Door, DoorOptions, Visit } from '../../../http/dashboard.tsx'
import type { FormFields } from '../../../http/form-fields.ts'

const LISTED_MAX = 200

/** API keys: made and shown once, rotated, revoked. */
export function mountKeys(door: Door, { store, notices }: DoorOptions): void {
  const render = async ({ frame, accountId }: Visit, filled: Filled) => {
    const keys = await listKeys(store.db, accountId, LISTED_MAX)
    return <KeysPage frame={frame} keys={keys} now={store.clock.now()} filled={filled} />
  }
  const place = { section: '/keys', again: render, done: { revoked: 'The key is revoked.' } }
  const show: NonNullable<Parameters<Door['form']>[0]['show']> = ({ frame }, { text, name }) => (
    <NewKeyPage frame={frame} text={String(text)} name={String(name)} />
  )

  door.page({ path: '/keys', ...place }, (visit) => render(visit, EMPTY))
  door.form({
    ...place,
    path: '/keys',
    show,
    async run({ accountId, session }, fields, deed) {
      if (deed.made) return { shown: deed.made }
      const wanted = readNewKey(toBody(fields))
      const { text, key } = await issueKey(store, {
        ...wanted,
        accountId,
        actor: accountId,
        restsOn: session.keyId,
        deed,
      })
      return { shown: { text, name: key.name } }
    },
  })
  door.form({
    ...place,
    path: '/keys/:id/rotate',
    show,
    async run({ accountId, params, session }, _fields, deed) {
      if (deed.made) return { shown: deed.made }
      const rotation = { accountId, keyId: params.id!, actor: accountId, restsOn: session.keyId, deed }
      const { text, key, oldHash } = await rotateKey(store, rotation)
      notices.publish('key', oldHash)
      return { shown: { text, name: key.name } }
    },
  })
  door.form({
    ...place,
    path: '/keys/:id/revoke',
    async run({ accountId, params }) {
      notices.publish('key', await revokeKey(store, { accountId, keyId: params.id!, actor: accountId }))
      return { to: '/dashboard/keys?done=revoked' }
    },
  })
}

function toBody(fields: FormFields): Record<string, unknown> {
  const origins = fields
    .get('origins')
    .split(/\s+/)
    .filter((origin) => origin !== '')
  return { name: fields.get('name'), kind: fields.get('kind') || 'secret', origins }
}
