import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openSecretBox } from '../../src/infra/secrets/secret-key.ts'
import { Sessions } from '../../src/modules/accounts/index.ts'
import { Authenticator } from '../support/authenticator.ts'
import { ask, openGateway } from '../support/gateway.ts'
import { testRandom } from '../support/random.ts'

/* Contract 5: passkeys over HTTP; `src/modules/accounts/passkeys/` tests failures on both engines. */

type Asked = Parameters<Authenticator['make']>[0]

async function openPerson(t: TestContext, env: Record<string, string> = {}) {
  const secretKey = testRandom.bytes(32)
  const gateway = await openGateway(t, { SECRET_KEY: Buffer.from(secretKey).toString('base64'), ...env })
  const { ctx, url, rest } = gateway
  const { accountId, key } = await gateway.join({ email: 'owner@example.com' })
  const own = await new Sessions({ ...ctx, secrets: openSecretBox(secretKey, testRandom) }).create(accountId)
  const origin = url.replace('127.0.0.1', 'localhost')
  const device = new Authenticator()
  const enrol = async () => {
    const { options } = (await rest('POST', '/api/passkeys/options', own)).json<{ options: Asked }>()
    const made = { name: 'Phone', credential: device.make(options, { origin }) }
    return (await rest('POST', '/api/passkeys', own, made)).json<{
      passkey: { id: string }
      recovery_codes: string[]
    }>()
  }
  return { url, rest, own, key, origin, device, enrol }
}

test('a passkey is added, named, listed, signs in and proves, and is removed; each of its recovery codes opens once, and mail opens nothing beside them (contract 5, rules 34 and 35)', async (t) => {
  const { url, rest, own, origin, device, enrol } = await openPerson(t)
  const { passkey, recovery_codes: codes } = await enrol()
  const asked = await rest('POST', '/api/sign-in/passkey/options')
  const cookie = asked.headers['set-cookie']![0]!
  assert.match(cookie, /; Path=\/; Max-Age=300; HttpOnly; SameSite=Strict$/)
  const body = JSON.stringify({ credential: device.sign(asked.json<{ options: Asked }>().options, { origin }) })
  const entered = await ask(`${url}/api/sign-in/passkey`, { headers: { cookie: cookie.split(';')[0]! }, body })
  assert.equal(entered.json<{ account: { email: string } }>().account.email, 'owner@example.com')
  const proof = (await rest('POST', '/api/prove/options', own)).json<{ options: Asked }>().options
  const proved = await rest('POST', '/api/prove', own, { credential: device.sign(proof, { origin }) })
  assert.equal(proved.status, 200)
  await rest('PUT', `/api/passkeys/${passkey.id}`, own, { name: 'Old phone' })

  assert.equal(new Set(codes).size, 10)
  const recover = (code: string) =>
    rest('POST', '/api/sign-in/recovery', undefined, { email: 'owner@example.com', code })
  const opened = await recover(codes[0]!)
  assert.deepEqual([opened.status, (await recover(codes[0]!)).status], [200, 401])
  assert.equal((await rest('GET', '/api/passkeys', own)).status, 401, 'who had signed in before is signed out')
  const anew = opened.json().token!
  const { passkeys, ...left } = (await rest('GET', '/api/passkeys', anew)).json<{ passkeys: { name: string }[] }>()
  assert.deepEqual(
    [passkeys.map(({ name }) => name), left],
    [['Old phone'], { recovery_codes_left: 9, mail_opens: false }],
  )
  assert.equal((await rest('POST', '/api/recovery-codes', anew)).status, 201)
  assert.equal((await recover(codes[1]!)).status, 401)
  assert.equal((await rest('DELETE', `/api/passkeys/${passkey.id}`, anew)).status, 200)
})

test('who must have a passkey can do nothing before, and a key is not asked (contract 5, rule 36)', async (t) => {
  const { rest, own, key, enrol } = await openPerson(t, { PASSKEYS_REQUIRED: 'members' })
  const look = async (credential: string) => {
    const reply = await rest('GET', '/api/checkouts', credential)
    return `${reply.status} ${reply.json().code ?? ''}`
  }
  assert.deepEqual([await look(own), await look(key)], ['403 passkey_required', '200 '])
  const { passkey } = await enrol()
  assert.equal(await look(own), '200 ')
  assert.equal((await rest('DELETE', `/api/passkeys/${passkey.id}`, own)).status, 409)
})
