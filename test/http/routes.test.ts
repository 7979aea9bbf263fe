import assert from 'node:assert/strict'
import { test } from 'node:test'
import { h } from 'preact'
import { AppError } from '../../src/kernel/errors.ts'
import type { Route, RouteLimit } from '../../src/kernel/route.ts'
import { openRoutes } from '../support/mounted-routes.ts'

/* What the server does for every declared route. test/hostile/matrix.test.ts tests who may use which. */

const tooMany = () => new AppError('too_many_requests', 'Too many requests.', { retryAfterSeconds: 7 })
const limitOf = (bucket: string): RouteLimit => ({ bucket, perMinute: 2, refuse: tooMany })
const open = { method: 'POST', access: 'open', run: ({ body }) => ({ json: body() }) } satisfies Partial<Route>

test('routes of one bucket share a limit, which does not affect another bucket', async (t) => {
  const world = await openRoutes(t, {
    routes: () => [
      { ...open, path: '/pay', limit: limitOf('pay') },
      { ...open, path: '/check', limit: limitOf('pay') },
      { ...open, path: '/claim', limit: limitOf('claim') },
    ],
  })
  const status = async (path: string, body: unknown = {}) => (await world.ask('POST', path, { body })).statusCode
  assert.deepEqual([await status('/pay'), await status('/check'), await status('/claim')], [200, 200, 200])
  assert.equal(await status('/pay'), 429)
  // Callers without access are refused before the body is read, so they never see errors about it.
  assert.equal(await status('/check', 'x'.repeat(70_000)), 429)
  assert.equal(await status('/claim'), 200)
})

test('a body may be as large as its route allows, and a larger one is refused with our own text', async (t) => {
  const world = await openRoutes(t, {
    routes: () => [
      { ...open, path: '/small', bodyBytesMax: 20 },
      { ...open, path: '/large' },
    ],
  })
  const body = { title: 'a long enough title' }
  const refused = await world.ask('POST', '/small', { body })
  assert.equal(refused.statusCode, 413)
  assert.equal(refused.json<{ code: string }>().code, 'body_too_large')
  assert.deepEqual((await world.ask('POST', '/large', { body })).json(), body)
  const unreadable = await world.ask('POST', '/large', { body: '{' })
  assert.equal(unreadable.statusCode, 400)
  assert.equal(unreadable.json<{ error: string }>().error, 'Unable to parse JSON')
})

test('an error has the page of its module, its status, and headers set before', async (t) => {
  const limit = { ...limitOf('page'), perMinute: 3 }
  const world = await openRoutes(t, {
    routes: () => [
      {
        method: 'GET',
        path: '/page/:status',
        access: 'open',
        limit,
        run({ params, setHeader }) {
          setHeader('x-ignored-fields', 'titel')
          if (params.status === '500') throw new Error('a secret of ours')
          throw new AppError('not_found', 'Not found.', { retryAfterSeconds: 3, body: { field: 'id' } })
        },
        problem: ({ status, body }, { header }) =>
          header('accept') === 'text/html' ? { page: h('p', null, `${status} ${String(body.field)}`) } : undefined,
        explain: () => ({ isValid: false }),
      },
    ],
  })
  const ask = (status: number, accept: string) => world.ask('GET', `/page/${status}`, { headers: { accept } })
  const page = await ask(404, 'text/html')
  assert.deepEqual([page.statusCode, page.body], [404, '<!doctype html><p>404 id</p>'])
  assert.match(String(page.headers['content-type']), /^text\/html/)
  assert.match(String(page.headers['content-security-policy']), /frame-ancestors 'none'/)
  assert.deepEqual([page.headers['retry-after'], page.headers['x-ignored-fields']], ['3', 'titel'])
  assert.deepEqual(world.log, [])

  const unexpected = await ask(500, 'text/html')
  assert.equal(unexpected.body, '<!doctype html><p>500 undefined</p>')
  assert.equal(world.log.length, 1)
  assert.match(world.log[0]!, /a secret of ours/)

  const json = await ask(404, 'application/json')
  const { isValid, code } = json.json<{ isValid: boolean; code: string }>()
  assert.deepEqual([json.statusCode, isValid, code], [404, false, 'not_found'])
  assert.equal(json.headers['x-ignored-fields'], 'titel')
  // The module has its own error page, but a caller without access gets the common one.
  const refused = await ask(404, 'text/html')
  assert.equal(refused.statusCode, 429)
  assert.match(String(refused.headers['content-type']), /^text\/html/)
})
