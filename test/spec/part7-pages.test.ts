import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, openGateway } from '../support/gateway.ts'

/* Browsers get error pages; programs must not be affected. */

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const PROGRAMS = [
  undefined,
  '*/*',
  'application/json',
  'application/json, text/html;q=0.1',
  // Sent by Java's HttpURLConnection, older and newer.
  'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
  'text/html, image/gif, image/jpeg, */*; q=0.2',
]

test('a browser is shown a page where there is nothing, and programs get JSON as ever (contract 7, rule 8)', async (t) => {
  const gateway = await openGateway(t)
  const get = (path: string, accept?: string) =>
    ask(`${gateway.url}${path}`, { method: 'GET', headers: accept === undefined ? {} : { accept } })
  for (const path of [
    '/nowhere',
    '/docs/nowhere',
    '/logos/none',
    '/accents/none',
    '/pay/0123456789abcdef/image',
    '/check/0123456789abcdef',
  ]) {
    const { status, headers, text } = await get(path, BROWSER)
    assert.equal(status, 404, path)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8', path)
    assert.match(String(headers['content-security-policy']), /default-src 'none'/, path)
    assert.equal(headers['cache-control'], 'no-store', path)
    assert.match(text, /<h1>There is no such page<\/h1>/, path)
    assert.doesNotMatch(text, /nowhere|0123456789abcdef/, 'nothing of the address is repeated')
    for (const accept of PROGRAMS) {
      const plain = await get(path, accept)
      assert.deepEqual([plain.status, plain.json().code], [404, 'not_found'], `${path} for ${accept}`)
    }
  }
  const api = await get('/api/nowhere', BROWSER)
  assert.equal(api.json().code, 'not_found', 'nothing under /api is a page')
  const posted = await ask(`${gateway.url}/nowhere`, { headers: { accept: BROWSER } })
  assert.equal(posted.json().code, 'not_found')
})
