import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkAnswer } from '../support/answers.ts'
import { openGateway } from '../support/gateway.ts'

test('every action says what it answers, as its own example does; the OpenAPI document ties that to its path, and has webhooks, other routes and every status (contract 2, rules 1 and 3; 1, An action by its path: GET /openapi.json)', async (t) => {
  const { app, url } = await openGateway(t)
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    openapi: string
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, object> }>>
    webhooks: object
    components: { schemas: Record<string, { properties?: object }> }
  }
  assert.match(document.openapi, /^3\.1\./)
  for (const { name, example } of app.endpoints.actions) {
    checkAnswer(app.endpoints.actions, name, { status: 200, text: JSON.stringify(example.response) })
    assert.ok(document.components.schemas[`${name}.answer`], name)
    const { operationId, responses } = document.paths[`/actions/${name}`]!.post!
    assert.equal(operationId, name)
    assert.ok(JSON.stringify(responses['200']).includes(`"#/components/schemas/${name}.answer"`), name)
    for (const status of ['400', '401', '402', '403', '413', '429', '500', '503']) assert.ok(responses[status], name)
  }
  for (const path of ['/check/{id}', '/checkout/{id}', '/pay/{id}/events', '/facilitator/settle', '/api/keys/{id}']) {
    assert.ok(document.paths[path], path)
  }
  assert.ok('payment.completed' in document.webhooks)
  assert.deepEqual(Object.keys(document.components.schemas['raw_to_nano.answer']!.properties!), ['nano', 'amount'])
})
