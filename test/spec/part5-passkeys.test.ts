import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { systemRandom } from '../../src/infra/random.ts'
import { openSecretBox } from '../../src/infra/secrets/secret-box.ts'
import { Sessions } from '../../src/modules/accounts/index.ts'
import { Authenticator } from '../support/authenticator.ts'
import { ask, openGateway } from '../support/gateway.ts'

/* Contract 5: passkeys by requests alone; `src/modules/accounts/passkeys/` has what goes wrong, on both engines. */

type Asked = Parameters<Authenticator['make']>[0]

async function openPerson(t: TestContext, env: Record<string, string> = {}) {
  const secretKey = systemRandom.bytes(32)
  const gateway = await openGateway(t, { SECRET_KEY: Buffer.from(secretKey).toString('base64'), ...env })
  const { ctx, url } = gateway
  const { accountId, key } = await gateway.join({ email: 'owner@example.com' })
  const secrets = openSecretBox(secretKey, systemRandom)
  const token = await new Sessions({ ...ctx, secrets }).create(accountId)
  const own = { authorization: `Bearer ${token}` }
  const rest = (method: string, path: string, headers: Record<string, string>, body: object = {}) =>
    ask(`${url}${path}`, { method, headers, ...(method !== 'GET' && { body: JSON.stringify(body) }) })
  const origin = url.replace('127.0.0.1', 'localhost')
  const device = new Authenticator()
  const enrol = async () => {
    const { options } = (await rest('POST', '/api/passkeys/options', own)).json<{ options: Asked }>()
    return rest('POST', '/api/passkeys', own, { name: 'Phone', credential: device.make(options, { origin }) })
  }
  return { rest, own, key, origin, device, enrol }
}

test('a passkey is added, named, listed, signs in and proves, and is removed (contract 5, rule 34)', async (t) => {
  const { rest, own, origin, device, enrol } = await openPerson(t)
  const { passkey } = (await enrol()).json<{ passkey: { id: string } }>()
  const asked = await rest('POST', '/api/sign-in/passkey/options', {})
  const cookie = asked.headers['set-cookie']![0]!
  assert.match(cookie, /; Path=\/; Max-Age=300; HttpOnly; SameSite=Strict$/)
  const credential = device.sign(asked.json<{ options: Asked }>().options, { origin })
  const opened = await rest('POST', '/api/sign-in/passkey', { cookie: cookie.split(';')[0]! }, { credential })
  assert.equal(opened.json<{ account: { email: string } }>().account.email, 'owner@example.com')
  const proof = (await rest('POST', '/api/prove/options', own)).json<{ options: Asked }>().options
  const proved = await rest('POST', '/api/prove', own, { credential: device.sign(proof, { origin }) })
  assert.equal(proved.status, 200)
  await rest('PUT', `/api/passkeys/${passkey.id}`, own, { name: 'Old phone' })
  const { passkeys } = (await rest('GET', '/api/passkeys', own)).json<{ passkeys: { name: string }[] }>()
  assert.deepEqual(
    passkeys.map(({ name }) => name),
    ['Old phone'],
  )
  assert.equal((await rest('DELETE', `/api/passkeys/${passkey.id}`, own)).status, 200)
})

test('recovery codes come with the first passkey, each opens once, and mail opens nothing beside them (contract 5, rule 35)', async (t) => {
  const { rest, own, enrol } = await openPerson(t)
  const { recovery_codes: codes } = (await enrol()).json<{ recovery_codes: string[] }>()
  assert.equal(new Set(codes).size, 10)
  const recover = (code: string) => rest('POST', '/api/sign-in/recovery', {}, { email: 'owner@example.com', code })
  const opened = await recover(codes[0]!)
  assert.deepEqual([opened.status, (await recover(codes[0]!)).status], [200, 401])
  assert.equal((await rest('GET', '/api/passkeys', own)).status, 401, 'who had signed in before is signed out')
  const anew = { authorization: `Bearer ${opened.json<{ token: string }>().token}` }
  const list = (await rest('GET', '/api/passkeys', anew)).json<{ recovery_codes_left: number; mail_opens: boolean }>()
  assert.deepEqual([list.recovery_codes_left, list.mail_opens], [9, false])
  assert.equal((await rest('POST', '/api/recovery-codes', anew)).status, 201)
  assert.equal((await recover(codes[1]!)).status, 401)
})

test('who must have a passkey can do nothing before, and a key is not asked (contract 5, rule 36)', async (t) => {
  const { rest, own, key, enrol } = await openPerson(t, { PASSKEYS_REQUIRED: 'members' })
  const look = async (headers: Record<string, string>) => {
    const reply = await rest('GET', '/api/checkouts', headers)
    return `${reply.status} ${reply.json().code ?? ''}`
  }
  assert.deepEqual([await look(own), await look({ key })], ['403 passkey_required', '200 '])
  const { passkey } = (await enrol()).json<{ passkey: { id: string } }>()
  assert.equal(await look(own), '200 ')
  assert.equal((await rest('DELETE', `/api/passkeys/${passkey.id}`, own)).status, 409)
})
