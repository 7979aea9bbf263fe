import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { verifyWebhook } from '../../docs/examples/verify-webhook.ts'
import { signBody } from '../../src/modules/webhooks/domain/sign-body.ts'
import { BODY, NON_ASCII, TIMESTAMP, VECTORS } from '../support/webhook-vectors.ts'

/* The example code with which receivers verify webhooks. */

const EXAMPLES = join(import.meta.dirname, '../../docs/examples')
const ID = 'evt_01J9Z3K8Q6T2V4W6X8Y0ZABCDE'
const [{ secret, standard }] = VECTORS

const headersOf = (signature: string, id = ID, timestamp = String(TIMESTAMP)) => ({
  'webhook-id': id,
  'webhook-timestamp': timestamp,
  'webhook-signature': signature,
})

test('a genuine webhook is accepted, as text and as bytes, and its event returned (contract 6, rules 1 and 2)', () => {
  for (const vector of VECTORS) {
    const event = verifyWebhook(BODY, headersOf(vector.standard), vector.secret, TIMESTAMP)
    assert.deepEqual(event, JSON.parse(BODY))
  }
  const headers = headersOf(NON_ASCII.standard, 'evt_2')
  const event = verifyWebhook(Buffer.from(NON_ASCII.body), headers, NON_ASCII.secret, TIMESTAMP + 300)
  assert.equal(event.id, 'evt_2')
})

test('a body, id, time, signature or secret that was changed is refused', () => {
  const refuse = (headers: Record<string, string>, body = BODY, key: string = secret, now = TIMESTAMP) =>
    assert.throws(() => verifyWebhook(body, headers, key, now), /wrong|too old|has no/)
  const genuine = headersOf(standard)
  refuse(genuine, BODY.replace('0.133042', '9.133042'))
  refuse(genuine, BODY, 'another secret')
  refuse(headersOf(standard, 'evt_other'))
  refuse(headersOf(standard, ID, String(TIMESTAMP + 1)))
  refuse(genuine, BODY, secret, TIMESTAMP + 301)
  refuse(genuine, BODY, secret, TIMESTAMP - 301)
  for (const signature of ['', 'v1,', 'v1', standard.slice(3), standard.replace('v1', 'v2'), standard.slice(0, -5)]) {
    refuse(headersOf(signature))
  }
  refuse({ 'webhook-id': ID, 'webhook-signature': standard })
  refuse({ 'webhook-id': ID, 'webhook-timestamp': String(TIMESTAMP) })
})

test('during a rotation both the old and the new secret verify', () => {
  const [fresh, old] = VECTORS
  const signed = signBody({ id: ID, timestamp: TIMESTAMP, body: BODY, secrets: [fresh.secret, old.secret] })
  const headers = headersOf(signed['webhook-signature']!)
  for (const key of [fresh.secret, old.secret]) assert.equal(verifyWebhook(BODY, headers, key, TIMESTAMP).id, ID)
})

test('the guide links every example, each of which is tested here', () => {
  const guide = readFileSync(join(EXAMPLES, '../webhooks.md'), 'utf8')
  for (const file of readdirSync(EXAMPLES)) assert.ok(guide.includes(`](examples/${file})`), file)
})

const has = (program: string) => spawnSync(program, ['--version']).status === 0

test('the Python example agrees with the vectors', { skip: !has('python3') && 'no python3 here' }, () => {
  const script = `
import json, sys
sys.path.insert(0, ${JSON.stringify(EXAMPLES)})
sys.dont_write_bytecode = True
from verify_webhook import verify_webhook
for given in json.load(sys.stdin):
    try:
        print(verify_webhook(given["body"].encode(), given["headers"], given["secret"], given["now"])["id"])
    except ValueError as error:
        print(error)
`
  assert.deepEqual(runExample('python3', ['-c', script]), EXPECTED)
})

test('the PHP example agrees with the vectors', { skip: !has('php') && 'no php here' }, () => {
  const script = `
require ${JSON.stringify(join(EXAMPLES, 'verify-webhook.php'))};
foreach (json_decode(stream_get_contents(STDIN), true) as $given) {
    try {
        echo verifyWebhook($given['body'], $given['headers'], $given['secret'], $given['now'])['id'], "\\n";
    } catch (RuntimeException $error) {
        echo $error->getMessage(), "\\n";
    }
}`
  assert.deepEqual(runExample('php', ['-r', script]), EXPECTED)
})

test('the Ruby example agrees with the vectors', { skip: !has('ruby') && 'no ruby here' }, () => {
  const script = `
require ${JSON.stringify(join(EXAMPLES, 'verify_webhook.rb'))}
JSON.parse($stdin.read).each do |given|
  puts verify_webhook(given['body'], given['headers'], given['secret'], given['now'])['id']
rescue ArgumentError => error
  puts error.message
end`
  assert.deepEqual(runExample('ruby', ['-e', script]), EXPECTED)
})

const EXPECTED = [
  ID,
  ID,
  'evt_2',
  'The signature of the webhook is wrong.',
  'The webhook is too old, or from the future.',
]

function runExample(program: string, args: string[]): string[] {
  const given = [
    ...VECTORS.map((vector) => ({ body: BODY, headers: headersOf(vector.standard), secret: vector.secret })),
    { body: NON_ASCII.body, headers: headersOf(NON_ASCII.standard, 'evt_2'), secret: NON_ASCII.secret },
    { body: `${BODY} `, headers: headersOf(standard), secret },
    { body: BODY, headers: headersOf(standard), secret, now: TIMESTAMP + 301 },
  ].map((one) => ({ now: TIMESTAMP, ...one }))
  const { stdout, stderr } = spawnSync(program, args, { input: JSON.stringify(given), encoding: 'utf8' })
  assert.equal(stderr, '')
  return stdout.trim().split('\n')
}
